// Holds the engine against what real Jinja2 answered, where that data is at hand.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { render, TemplateError } from "./index.ts";

const folder = new URL("../../../shared/compat/jinja/", import.meta.url);

interface Case {
  readonly template: string;
  readonly context: Record<string, unknown>;
  readonly output?: string;
  readonly error?: string;
  readonly missing?: string | null;
}

function agrees({ template, context, output, error, missing }: Case): boolean {
  try {
    return render(template, context) === output;
  } catch (raised) {
    if (!(raised instanceof TemplateError) || error === undefined) return false;
    if (error !== "other" && raised.reason !== error) return false;
    return typeof missing !== "string" || raised.missing === missing;
  }
}

describe.skipIf(!existsSync(folder))("what Jinja2 answered (skipped where the data is not beside the project)", () => {
  it.each(["probes.json", "corpus.json"])("is what we answer for at least 99.5 %% of %s", (file) => {
    const cases: readonly Case[] = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    const different = cases.filter((one) => !agrees(one));
    const examples = different.slice(0, 5).map(({ template }) => template);
    expect(1 - different.length / cases.length, `for example ${examples.join("\n")}`).toBeGreaterThanOrEqual(0.995);
  });
});
