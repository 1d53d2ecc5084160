// What real Jinja2 answered, recorded once: for small probes of every kind of value, and for templates of real workflows
// with values of every kind put in. Every answer must be ours, and so must the name of what is missing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { render, TemplateError } from "../../src/template/index.ts";

interface Recorded {
  readonly template: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly context: Record<string, unknown>;
  readonly output?: string;
  readonly error?: string;
  readonly missing?: string | null;
}

/** What we answer, in the words of the record. */
function answered(template: string, { context, error, missing }: Case): Omit<Case, "context"> {
  try {
    return { output: render(template, context) };
  } catch (raised) {
    if (!(raised instanceof TemplateError)) throw raised;
    // Where Jinja2 failed in a way of Python's own, any failure of ours is the same answer.
    return {
      error: error === "other" ? "other" : raised.reason,
      ...(missing === undefined ? {} : { missing: missing === null ? null : (raised.missing ?? null) }),
    };
  }
}

describe.each(["probes.json", "corpus.json"])("%s", (file) => {
  const recorded: readonly Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, "jinja", file), "utf8"));

  it("holds hundreds of cases", () => {
    expect(recorded.flatMap(({ cases }) => cases).length).toBeGreaterThan(400);
  });

  it("is what we answer, case by case", () => {
    const different = recorded.flatMap(({ template, cases }) =>
      cases.flatMap((one) => {
        const { context, ...jinja } = one;
        const ours = answered(template, one);
        return JSON.stringify(sorted(ours)) === JSON.stringify(sorted(jinja))
          ? []
          : [{ template, context, jinja, ours }];
      }),
    );
    expect(different).toEqual([]);
  });
});

const sorted = (value: object): object => Object.fromEntries(Object.entries(value).sort());
