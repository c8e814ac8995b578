// The menu of light and dark closes after a choice, a click beside it, or Escape.
(() => {
  const menus = [...document.querySelectorAll("details.theme-switch-container")];
  addEventListener("click", (event) => {
    for (const menu of menus) {
      if (!menu.contains(event.target) || event.target.closest(".theme-change-button")) menu.open = false;
    }
  });
  // Before the drawer that may hold the menu, which Escape closes, too.
  addEventListener("keydown", (event) => {
    const menu = menus.find((one) => one.open);
    if (event.key !== "Escape" || !menu) return;
    event.preventDefault();
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  }, true);
})();
