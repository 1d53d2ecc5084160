// What is written from the sources is in docs/ as they are now, and the sources say nothing that it leaves out.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LOADING_RULES } from "../../scripts/docs/loading-rules.ts";
import { PAGES } from "../../scripts/docs/pages.ts";
import { KINDS } from "../../src/base/errors/kinds.ts";
import { EVENTS } from "../../src/base/events/registry.ts";
import { COMMANDS } from "../../src/frontends/cli/table/index.ts";
import { toolsFor } from "../../src/frontends/mcp/tools/index.ts";
import { RULES } from "../../src/language/rules/index.ts";
import { STEP_TYPES } from "../../src/steps/types.ts";
import { FILTERS, TESTS } from "../../src/template/filters/filters.ts";
import { GLOBALS } from "../../src/template/runtime/globals.ts";
import { root } from "./markdown.ts";

const page = (name: string): string => readFileSync(join(root, "docs", name), "utf8");
const headings = (name: string): readonly string[] =>
  [...page(name).matchAll(/^#{3,5} `?(.+?)`?$/gm)].map(([, heading = ""]) => heading);

describe("generated pages", () => {
  it.each(Object.keys(PAGES))("docs/%s is what the sources say; `npm run docs` writes it", (name) => {
    expect(page(name)).toBe(PAGES[name]?.());
  });

  it.each([
    ["kinds.md", [...KINDS.keys()], (text: string) => text.includes(".")],
    ["events.md", Object.keys(EVENTS), () => true],
    [
      "cli.md",
      COMMANDS.filter(({ load }) => load).map(({ name }) => `segno ${name}`),
      (text: string) => text.startsWith("segno "),
    ],
    [
      "reference.md",
      Object.keys(STEP_TYPES).map((type) => `type: ${type}`),
      (text: string) => text.startsWith("type: "),
    ],
    ["reference.md", RULES.map(({ name }) => name), (text: string) => RULES.some(({ name }) => name === text)],
  ] as const)("docs/%s has a section for each, and for nothing else", (name, known, isOne) => {
    expect(headings(name).filter(isOne).sort()).toEqual([...known].sort());
  });

  it("the reference lists the findings of loading, and each is one that the loader has", () => {
    const folder = join(root, "src/language");
    const sources = readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    const said = new Set(RULES.map(({ name }) => name));
    const found = [...sources.matchAll(/(?:rule: |\.report\(\s*|rule = (?:tree \? )?)"([a-z]+-[a-z-]+)"/g)].map(
      ([, name = ""]) => name,
    );
    expect([...new Set(found)].filter((name) => !said.has(name) && !(name in LOADING_RULES))).toEqual([]);
    for (const name of Object.keys(LOADING_RULES)) expect(sources).toContain(`"${name}"`);
  });

  it("the page on MCP has a line for every tool with its arguments, and for nothing else", () => {
    const lines = [...page("mcp.md").matchAll(/^\| `([a-z]+_[a-z]+)` \|([^|]*)\|/gm)];
    const said = Object.fromEntries(
      lines.map(([, name = "", given = ""]) => [name, [...given.matchAll(/`(\w+)`/g)].map(([, one]) => one).sort()]),
    );
    const known = [...toolsFor({ mayAnswerGates: true }).values()].map(
      ({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}).sort()] as const,
    );
    expect(said).toEqual(Object.fromEntries(known));
  });

  it.each([
    ["Filters", FILTERS],
    ["Tests", TESTS],
    ["Functions", GLOBALS],
  ] as const)("the page on templates lists all %s", (heading, known) => {
    const [, line = ""] = new RegExp(`^${heading}: (.*)$`, "m").exec(page("templates.md")) ?? [];
    const words = [...known.keys()].filter((name) => /^\w+$/.test(name));
    expect([...line.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(words.sort());
  });
});
