// A word about what was just done; it goes away by itself and is read out.
import { signal } from "@preact/signals";

const said = signal<readonly { readonly id: number; readonly text: string }[]>([]);
const SHOWN_MS = 5000;
let next = 0;

export function say(text: string): void {
  const id = next++;
  said.value = [...said.value, { id, text }];
  setTimeout(() => {
    said.value = said.value.filter((one) => one.id !== id);
  }, SHOWN_MS);
}

export async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => say(`Copied ${what}.`),
    () => say(`The browser did not let ${what} be copied.`),
  );
}

export function Toasts() {
  return (
    <div class="toasts column" role="status" aria-live="polite">
      {said.value.map(({ id, text }) => (
        <div class="toast" key={id}>
          {text}
        </div>
      ))}
    </div>
  );
}
