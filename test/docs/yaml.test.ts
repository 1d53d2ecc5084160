// Every YAML of the pages: whole workflows validate, steps and routes have the right shape, the rest parses.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { scenarioSchema } from "../../src/features/scenarios/schema.ts";
import { validateFiles } from "../../src/services/workflows/validate.ts";
import { route } from "../../src/steps/schema/fields.ts";
import { type Block, blocksOf, type Page, pages } from "./markdown.ts";
import { readStep } from "./read-step.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-docs-yaml-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Later versions of a file stand in the place of earlier ones, as they do for a reader. */
function write(page: Page, block: Block, at: number): string {
  const path = join(folder, page.name, block.file ?? `block-${at}.yaml`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, block.text);
  return path;
}

/** What is wrong with a block, in sentences. */
function problems(page: Page, block: Block, at: number): readonly string[] {
  if (block.words.includes("part")) return [];
  const value: unknown = parse(block.text, {
    logLevel: "error",
    customTags: [{ tag: "!file", resolve: (text: string) => text }],
  });
  if (isMapping(value) && typeof value.workflow === "string") {
    const checked = scenarioSchema.safeParse(value);
    return checked.success ? [] : [z.prettifyError(checked.error)];
  }
  if (
    isMapping(value) &&
    isMapping(value.workflow) &&
    ["agents", "steps", "parallel", "for_each"].some((key) => key in value)
  ) {
    const file = write(page, block, at);
    const { errors } = validateFiles(
      { cwd: dirname(file), env: {} },
      { files: [file], asChild: block.words.includes("child") },
    );
    return errors.map(({ message, location }) => `line ${location?.line}: ${message}`);
  }
  if (Array.isArray(value) && value.every(isMapping))
    return value.flatMap((one) => {
      const checked = "name" in one ? readStep(one) : route.safeParse(one);
      return checked.success ? [] : [`${JSON.stringify(one)}: ${z.prettifyError(checked.error)}`];
    });
  return [];
}

describe.each(pages.map((page) => [page.name, page] as const))("the YAML of %s", (_, page) => {
  const blocks = blocksOf(page).filter(({ language }) => language === "yaml");
  // Sub-workflows may be shown after the file that calls them.
  for (const [at, block] of blocks.entries()) if (block.file) write(page, block, at);

  it(`is right in ${blocks.length} blocks`, () => {
    const found = blocks.flatMap((block, at) =>
      problems(page, block, at).map((problem) => `${page.name}:${block.line}: ${problem}`),
    );
    expect(found).toEqual([]);
  });
});
