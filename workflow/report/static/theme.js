// Pages of trials follow the dark or light mode stored by the report's own switch.
const wish = localStorage.getItem("mode") || "auto";
const dark = wish === "dark" || (wish === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.theme = dark ? "dark" : "light";
