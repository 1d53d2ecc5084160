// What the user has begun to write: it survives a reload, and is gone once it was sent.
import { signal } from "@preact/signals";

const PREFIX = "segno.draft.";

export function readDraft<Draft>(name: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

export function keepDraft(name: string, draft: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // More than the browser has room for. It can still be sent; an older draft in its place would be a lie.
    dropDraft(name);
  }
}
export const dropDraft = (name: string): void => localStorage.removeItem(PREFIX + name);

/** The user pressed Answer: the question that is shown next takes the focus. */
export const isAnswering = signal(false);
