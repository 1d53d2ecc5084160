// How rules are tested: a table of files, and the lines that the rule speaks up about. Used by tests only.
import { describe, expect, it } from "vitest";
import { pathPattern } from "../../src/base/errors/path-pattern.ts";
import type { Finding, LoadWorld } from "../../src/language/loaded.ts";
import { validateWorkflow } from "../../src/language/validate.ts";
import { memoryWorld } from "./engine/memory-world.ts";

/** A file whose first step stands on line 3. */
export const flow = (steps: string, { section = "", entry = "a", more = "" } = {}): string =>
  `workflow: { name: case, entry_point: ${entry}${section && `, ${section}`} }\nagents:\n${steps.replace(/^\n|\n$/g, "")}\n${more}`;

export interface RuleCase {
  /** What a user would notice, as a sentence. */
  readonly name: string;
  readonly files: string | Readonly<Record<string, string>>;
  /** The lines that have a finding of the rule, in order; none when it is silent. */
  readonly lines: readonly number[];
  readonly message?: RegExp;
  /** Of the findings, in order. */
  readonly severities?: readonly Finding["severity"][];
  /** A suggestion that the first finding has. */
  readonly suggests?: string;
  readonly asChild?: boolean;
  /** What the machine has not. */
  readonly lacks?: readonly string[];
}

export function findingsOf(
  rule: string,
  { files, asChild = false, lacks = [] }: Pick<RuleCase, "files" | "asChild" | "lacks">,
): Finding[] {
  const named = typeof files === "string" ? { "main.yaml": files } : files;
  const world: LoadWorld = {
    ...memoryWorld(named),
    lacks: (command) => lacks.includes(command),
    hasFile: (pattern) => Object.keys(named).some(pathPattern(pattern)),
  };
  const { findings } = validateWorkflow("/w/main.yaml", world, { asChild });
  const broken = findings.find((finding) =>
    ["internal", "yaml-syntax", "unknown-key", "wrong-type"].includes(finding.rule),
  );
  if (broken && broken.rule !== rule) throw new Error(`the case itself is broken: ${broken.message}`);
  return findings.filter((finding) => finding.rule === rule);
}

export function ruleCases(rule: string, cases: readonly RuleCase[]): void {
  describe(rule, () => {
    it.each(cases)("$name", (one) => {
      const findings = findingsOf(rule, one);
      expect(findings.map(({ location }) => location.line)).toEqual(one.lines);
      if (one.severities) expect(findings.map(({ severity }) => severity)).toEqual(one.severities);
      if (one.message) expect(findings.map(({ message }) => message).join("\n")).toMatch(one.message);
      if (one.suggests !== undefined) expect(findings[0]?.suggestions).toContain(one.suggests);
    });
  });
}
