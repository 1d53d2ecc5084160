// How deep a token stream nests. The YAML composer recurses, and a stack that overflows inside a regular expression
// ends the process, so depth is measured before it is asked; this walk keeps its own stack.
import type { CST } from "yaml";

interface Nested {
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
  readonly value?: unknown;
}

export function deepest(tokens: readonly CST.Token[]): number {
  let most = 0;
  const stack: { readonly token: unknown; readonly level: number }[] = tokens.map((token) => ({ token, level: 1 }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { token, level } = top;
    if (typeof token !== "object" || token === null) continue;
    most = Math.max(most, level);
    const { items, value } = token as Nested;
    if (items)
      for (const item of items) {
        stack.push({ token: item.key, level: level + 1 });
        stack.push({ token: item.value, level: level + 1 });
      }
    else if (typeof value === "object") stack.push({ token: value, level });
  }
  return most;
}
