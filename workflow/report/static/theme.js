// Pages of trials follow the wish for dark or light that the report's own switch stores.
const wish = localStorage.getItem("mode") || "auto";
const dark = wish === "dark" || (wish === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.theme = dark ? "dark" : "light";
