import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { inline, renderMarkdown } from "./markdown.ts";

const off = picocolors.createColors(false);
/** Marks instead of escape sequences, so that expectations can be read. */
const marks = {
  ...off,
  bold: (t: string) => `<b>${t}</b>`,
  italic: (t: string) => `<i>${t}</i>`,
  cyan: (t: string) => `<c>${t}</c>`,
  underline: (t: string) => `<u>${t}</u>`,
} as typeof off;

describe("Markdown at a terminal", () => {
  const cases: [string, string][] = [
    ["Ship **it**?", "Ship <b>it</b>?"],
    ["an *early* _draft_", "an <i>early</i> <i>draft</i>"],
    ["snake_case_name stays", "snake_case_name stays"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["run `a **b** c`", "run <c>a **b** c</c>"],
    ["see [the docs](https://example.com/x)", "see <u>the docs</u> (https://example.com/x)"],
    ["[https://e.x](https://e.x)", "<u>https://e.x</u>"],
    ["\\*not\\*", "*not*"],
  ];
  it.each(cases)("%s", (source, expected) => {
    expect(inline(source, marks)).toBe(expected);
  });

  it("renders blocks", () => {
    const source = `# Release
## Why
- first thing that is long
- [x] done
2. second
> careful now

| a | b |
|---|---|

\`\`\`sh
npm **publish**
\`\`\``;
    expect(renderMarkdown(source, off, 20)).toBe(`Release
Why
• first thing that
  is long
☑ done
2. second
│ careful now

| a | b |
|---|---|

  npm **publish**`);
  });

  it("ends a block of code only with its own fence", () => {
    const code = "a `b`\n```\n**c** [d]: http://x\n````x\n   ~~~~";
    expect(renderMarkdown(`\`\`\`\`\n${code}\n\`\`\`\`\n**after**`, marks, 80)).toBe(
      `${code
        .split("\n")
        .map((line) => `  <c>${line}</c>`)
        .join("\n")}\n<b>after</b>`,
    );
  });

  it("shows escape sequences from outside as nothing", () => {
    expect(renderMarkdown("a\u001b[2J\u001b]0;title\u0007b", off, 80)).toBe("ab");
  });
});
