// Long tables can be sorted by any column: each heading has a button, and aria-sort marks the active column. A table wider
// than the page scrolls inside its box, also with the arrow keys.
(() => {
  const LONG = 9;
  const PREFIXES = { n: 1e-9, µ: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
  const QUANTITY = /^(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:([KMGT]i|[nµmkMGT])(?=[A-Za-z/])(?!in\b))?/;

  function valueOf(cell) {
    const text = cell.textContent.trim();
    const found = QUANTITY.exec(text);
    const number = found ? Number(found[1].replaceAll(",", "")) * (PREFIXES[found[2]] || 1) : NaN;
    return { text, number };
  }

  function compare(one, other) {
    if (Number.isNaN(one.number) !== Number.isNaN(other.number)) return Number.isNaN(one.number) ? 1 : -1;
    return one.number - other.number || one.text.localeCompare(other.text, "en", { numeric: true });
  }

  function sort(table, column, heading) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: valueOf(row.cells[column]) }));
    rows.sort((one, other) => (down ? -1 : 1) * compare(one.key, other.key));
    table.tBodies[0].append(...rows.map(({ row }) => row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  function letKeysMoveWideTables() {
    for (const table of document.querySelectorAll("table.coldcache-table, table.table")) {
      const box = table.closest(".coldcache-scroll, .text_html, .pst-scrollable-table-container");
      if (!box || box.tabIndex >= 0 || box.scrollWidth <= box.clientWidth) continue;
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", table.caption ? table.caption.textContent : "Table");
    }
  }

  letKeysMoveWideTables();
  addEventListener("resize", letKeysMoveWideTables);

  for (const table of document.querySelectorAll("table.coldcache-table")) {
    const body = table.tBodies[0];
    if (!table.tHead || table.tBodies.length !== 1 || body.rows.length < LONG) continue;
    const columns = table.tHead.rows[0].cells;
    if ([...body.rows].some((row) => row.cells.length !== columns.length)) continue;
    for (const [column, heading] of [...columns].entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "coldcache-sort";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, column, heading));
      heading.append(button);
    }
  }
})();
