// Text that is known to be safe HTML: what `escape`, `safe` and `tojson` give. It is
// text everywhere, except that it is not escaped again and escapes what is joined to it.

import { Internal, type Kind, type Value } from "./value.ts";

export class Markup extends Internal {
  readonly kind: Kind = "string";
  constructor(readonly text: string) {
    super();
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (char) => ESCAPES[char]!);
}

/** The text of a text, or undefined for anything else. */
export function textOf(value: Value): string | undefined {
  if (typeof value === "string") return value;
  return value instanceof Markup ? value.text : undefined;
}

export function isText(value: Value): value is string | Markup {
  return typeof value === "string" || value instanceof Markup;
}

/** Gives a result the safety of what it was made from. */
export function like(original: Value, text: string): string | Markup {
  return original instanceof Markup ? new Markup(text) : text;
}
