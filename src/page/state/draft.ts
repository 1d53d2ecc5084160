// What somebody has begun to write: it survives a reload, and is gone once it was sent.
const PREFIX = "segno.draft.";

export function readDraft<Draft>(name: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

export const keepDraft = (name: string, draft: unknown): void =>
  localStorage.setItem(PREFIX + name, JSON.stringify(draft));
export const dropDraft = (name: string): void => localStorage.removeItem(PREFIX + name);
