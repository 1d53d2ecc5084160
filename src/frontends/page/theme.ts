// Runs before the first paint: a page that is dark must not flash white while its script loads.
const chosen = localStorage.getItem("segno.theme");
const theme = chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.documentElement.dataset.theme = theme;
