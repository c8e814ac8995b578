// A mark of a figure says what it is when it is pointed at or reached by the tab key, and the name of a series switches
// it off and on. Marks are links with labels, so without this script a click still opens the trial.
(() => {
  const MARK = ".coldcache-figure svg a[aria-label]";
  const tip = document.createElement("div");
  tip.className = "coldcache-tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  document.body.append(tip);

  function show(mark) {
    // "read, threads 4: 1.2 GB/s (1.1 to 1.3), 5 runs": what it is, then its value.
    const [what, ...values] = mark.getAttribute("aria-label").split(": ");
    tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: values.join(": ") || what }));
    if (values.length) tip.append(document.createElement("br"), what);
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(box.left + box.width / 2 - own.width / 2, 8), innerWidth - own.width - 8);
    const top = box.top - own.height - 8 < 0 ? box.bottom + 8 : box.top - own.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  }

  const hide = () => { tip.hidden = true; };
  for (const begin of ["pointerover", "focusin"]) {
    addEventListener(begin, (event) => {
      const mark = event.target.closest?.(MARK);
      if (mark) show(mark); else hide();
    });
  }
  addEventListener("focusout", hide);
  addEventListener("scroll", hide, { passive: true, capture: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  function toggle(name) {
    const off = name.getAttribute("aria-pressed") === "true";
    name.setAttribute("aria-pressed", String(!off));
    const figure = name.ownerSVGElement;
    for (const part of figure.querySelectorAll(`[data-series="${name.dataset.seriesName}"]`)) {
      part.style.display = off ? "none" : "";
    }
  }

  for (const figure of document.querySelectorAll(".coldcache-figure svg")) {
    const names = [...figure.querySelectorAll("[data-series-name]")];
    if (names.length < 2) continue;
    for (const name of names) {
      name.setAttribute("role", "button");
      name.setAttribute("tabindex", "0");
      name.setAttribute("aria-pressed", "true");
      name.setAttribute("aria-label", `Show ${name.textContent.trim()}`);
      name.addEventListener("click", () => toggle(name));
      name.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(name);
      });
    }
    // A drawing with buttons is no image.
    figure.setAttribute("role", "group");
  }

  // A click beside the text of a number puts the number's own link into the address bar.
  addEventListener("click", (event) => {
    const cell = event.target.closest?.("td[id]");
    if (!cell || event.target.closest("a, button") || String(getSelection())) return;
    history.replaceState(null, "", `#${cell.id}`);
    document.querySelector(".coldcache-pointed-at")?.classList.remove("coldcache-pointed-at");
    cell.classList.add("coldcache-pointed-at");
  });
})();
