// Long tables and those of trials can be sorted by any column: each heading has a button, and aria-sort marks the active
// column. Those too long to read have a filter. A table wider than the page scrolls inside its box, also with the arrow keys.
(() => {
  const LONG = 9;
  const SEARCHED = 21;
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

  const isRow = (row, width) => row.cells.length === width;

  function sort(table, column, heading) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    const width = table.tHead.rows[0].cells.length;
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => isRow(row, width)).map((row) => ({ row, key: valueOf(row.cells[column]) }));
      rows.sort((one, other) => (down ? -1 : 1) * compare(one.key, other.key));
      body.append(...rows.map(({ row }) => row));
    }
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  function filter(table, wanted, said) {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const width = table.tHead.rows[0].cells.length;
    let shown = 0;
    let all = 0;
    for (const body of table.tBodies) {
      // The heading of a group belongs to each of its rows.
      const group = [...body.rows].filter((row) => !isRow(row, width)).map((row) => row.textContent).join(" ");
      let here = 0;
      for (const row of body.rows) {
        if (!isRow(row, width)) continue;
        const text = `${group} ${row.textContent}`.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        here += !row.hidden;
        all += 1;
      }
      body.hidden = !here;
      shown += here;
    }
    said.textContent = words.length ? `${shown} of ${all} rows` : "";
  }

  function addFilter(table) {
    const box = table.closest(".coldcache-long, .coldcache-scroll, .pst-scrollable-table-container") || table;
    const line = document.createElement("p");
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" });
    const said = document.createElement("output");
    line.className = "coldcache-filter";
    label.append("Filter ", input);
    line.append(label, " ", said);
    input.addEventListener("input", () => filter(table, input.value, said));
    box.before(line);
  }

  function letKeysMoveWideTables() {
    for (const table of document.querySelectorAll("table.coldcache-table, table.table")) {
      const box = table.closest(".coldcache-long, .coldcache-scroll, .text_html, .pst-scrollable-table-container");
      if (!box || box.tabIndex >= 0) continue;
      if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) continue;
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", table.caption ? table.caption.textContent : "Table");
    }
  }

  // What is folded is printed, too, and opens for whoever follows a link into it.
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details.coldcache-fold")) part.open = true;
  });

  function openTarget() {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");
    if (!part || part.open) return;
    part.open = true;
    part.scrollIntoView();
  }

  openTarget();
  addEventListener("hashchange", openTarget);
  letKeysMoveWideTables();
  addEventListener("resize", letKeysMoveWideTables);

  for (const table of document.querySelectorAll("table.coldcache-table")) {
    if (!table.tHead || table.matches(".coldcache-forest, .coldcache-documents")) continue;
    const columns = table.tHead.rows[0].cells;
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => isRow(row, columns.length));
    const others = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !isRow(row, columns.length));
    const isOfTrials = table.matches(".coldcache-of-trials");
    if (rows.length < (isOfTrials ? 3 : LONG)) continue;
    if (others.some((row) => !row.querySelector("th[scope=rowgroup]"))) continue;
    if (rows.length >= SEARCHED) addFilter(table);
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
