// Dark or light: as the system says, until the user chooses.
import { signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEPT = "segno.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const read = (): Theme => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

export const theme = signal<Theme>(read());

const show = (next: Theme): void => {
  document.documentElement.dataset.theme = next;
  theme.value = next;
};

export function switchTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEPT, next);
  show(next);
}

system.addEventListener("change", () => {
  if (localStorage.getItem(KEPT) === null) show(system.matches ? "dark" : "light");
});
addEventListener("storage", ({ key, newValue }) => {
  if (key === KEPT && (newValue === "dark" || newValue === "light")) show(newValue);
});
