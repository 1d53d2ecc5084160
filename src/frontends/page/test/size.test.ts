// What a first visit costs: measured on the page as it is built.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const KB = 1024;
const BUILT = "dist/page";
/** By their path below it. */
const files: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(BUILT, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(BUILT, name)).isFile())
    .map((name) => [name, readFileSync(join(BUILT, name), "utf8")]),
);

const zipped = (name: string): number => gzipSync(files[name.slice(1)] ?? "").length;
const named = (pattern: RegExp): string[] =>
  [...(files["index.html"] ?? "").matchAll(pattern)].map(([, name = ""]) => name);

describe("the page", () => {
  it("asks a first visitor for 60 KB of script at most", () => {
    const scripts = named(/(?:src|modulepreload" href)="(\/assets\/[^"]+\.js)"/g);
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.reduce((sum, name) => sum + zipped(name), 0)).toBeLessThan(60 * KB);
  });

  it("has 10 KB of style at most", () => {
    const sheets = named(/href="(\/assets\/[^"]+\.css)"/g);
    expect(sheets).toHaveLength(1);
    expect(zipped(sheets[0] ?? "")).toBeGreaterThan(KB);
    expect(zipped(sheets[0] ?? "")).toBeLessThan(10 * KB);
  });

  it("names nothing that comes from elsewhere, and has no script in its HTML", () => {
    const html = files["index.html"] ?? "";
    expect(html).not.toMatch(/(src|href)="(?!\/assets\/|data:)/);
    expect(html).not.toMatch(/<script[^>]*>[^<]/);
    expect(html).not.toMatch(/ style=| on\w+=/);
  });

  it("brings the reader of Markdown and the one of YAML only when there is some", () => {
    const first = named(/(?:src|modulepreload" href)="(\/assets\/[^"]+\.js)"/g).map(
      (name) => files[name.slice(1)] ?? "",
    );
    expect(first.some((text) => text.includes("DOMPurify"))).toBe(false);
    expect(Object.values(files).some((text) => text.includes("DOMPurify"))).toBe(true);
  });

  it("is what index.html of the sources says", () => {
    expect(readFileSync("src/frontends/page/index.html", "utf8")).toContain("{{script}}");
    expect(files["index.html"]).not.toContain("{{");
  });
});
