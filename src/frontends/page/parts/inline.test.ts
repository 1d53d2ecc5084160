import { describe, expect, it } from "vitest";
import { firstLine, inlinePieces } from "./markdown.tsx";

const read = (text: string): string =>
  inlinePieces(text)
    .map(({ look, text: said }) => (look === "text" ? said : `<${look}>${said}</${look}>`))
    .join("");

describe("the first line", () => {
  it.each([
    ["\n## Release 2.0?\n\n| | |\n|---|---|\n| lost | 1 |", "Release 2.0?"],
    ["| a | b |\n|---|---|\n\n<b>x</b>\n\nShall it **go** on?\nSure?", "Shall it <strong>go</strong> on?"],
    ["<script>alert(1)</script>", ""],
  ])("of %j is what it is about", (text, about) => expect(read(firstLine(text))).toBe(about));
});

describe("a line of Markdown", () => {
  it.each([
    ["**200** files would change", "<strong>200</strong> files would change"],
    ["run `segno resume` *now*, _please_", "run <code>segno resume</code> <em>now</em>, <em>please</em>"],
    ["## Publish 1.5.0?\n\nThe changes:\n\n- one\n- two", "Publish 1.5.0? The changes: one · two"],
    ["see [the notes](https://example.org/x) ![x](y.png)", "see the notes x"],
    ["> quoted", "quoted"],
  ])("%j is read as it was meant", (text, meant) => expect(read(text)).toBe(meant));

  it.each([
    "src/**/*.ts and lib/**/*.js",
    "step_one and step_two",
    "2 * 3 * 4",
    "<img src=x onerror=alert(1)>",
    "__init__.py",
  ])("%j is left as it is", (text) => expect(read(text)).toBe(text));
});
