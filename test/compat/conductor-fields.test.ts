// Random files over all fields that Conductor knows: each is read as it says, or what is not is said with its place.
import fc from "fast-check";
import { expect, it } from "vitest";
import { isNode, parseDocument, stringify } from "yaml";
import { isMapping } from "../../src/base/errors/mapping.ts";
import type { LoadedWorkflow } from "../../src/language/loaded.ts";
import { validateWorkflow } from "../../src/language/validate.ts";
import { parseDuration } from "../../src/steps/schema/readings.ts";
import { memoryWorld } from "../support/engine/memory-world.ts";
import { runs } from "../support/property-runs.ts";
import { conductorFile } from "./conductor-fields.ts";

type Path = readonly (string | number)[];

const CHILD = "workflow: { name: c, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n";

/** Values of a file that the definition does not have: where they stand. */
function* lost(written: unknown, read: unknown, path: Path): Generator<Path> {
  if (written === null || isSaid(written, read)) return;
  if (Array.isArray(written)) {
    if (!Array.isArray(read) || read.length !== written.length) yield path;
    else for (const [index, item] of written.entries()) yield* lost(item, read[index], [...path, index]);
  } else if (isMapping(written)) {
    if (!isMapping(read)) {
      if (Object.keys(written).length > 0) yield path;
      return;
    }
    for (const [key, one] of Object.entries(written))
      if (!isAbsent(key, one)) yield* lost(one, read[key], [...path, key]);
  } else yield path;
}

/** Empty values that Conductor takes for absent ones. */
const isAbsent = (key: string, value: unknown): boolean =>
  (key === "when" && value === "") ||
  (key === "max_tokens" && value === 0) ||
  (key === "dialog" && isMapping(value) && value.trigger_prompt === "");

/** The readings that documents promise: short forms, durations, words for booleans, quoted numbers, scalars as text. */
function isSaid(written: unknown, read: unknown): boolean {
  if (Object.is(written, read)) return true;
  if (typeof written === "string") {
    if (isMapping(read)) return read.name === written || read.message === written;
    if (typeof read === "number") return Number(written) === read || parseDuration(written) === read;
    return typeof read === "boolean" && /^(?:yes|no|on|off|true|false|0|1)$/i.test(written);
  }
  if (typeof written === "number" && typeof read === "boolean") return written === Number(read);
  const isScalar = typeof written === "number" || typeof written === "boolean";
  return isScalar && typeof read === "string" && read === String(written);
}

/** Where a definition keeps the list of steps. */
const inDefinition = ({ definition }: LoadedWorkflow): Readonly<Record<string, unknown>> =>
  definition as unknown as Readonly<Record<string, unknown>>;

it("each of 300 files is read as it says, or has a finding with its place", () => {
  fc.assert(
    fc.property(conductorFile, (file) => {
      const text = stringify(file);
      const world = memoryWorld({ "main.yaml": text, "child.yaml": CHILD }, { SET: "a-secret-value" });
      const { workflow, findings } = validateWorkflow("/w/main.yaml", world, { asChild: false });
      const lines = text.split("\n").length;
      for (const { message, location, rule } of findings) {
        expect(location.file).toBe("/w/main.yaml");
        expect(location.line).toBeGreaterThanOrEqual(1);
        expect(location.line).toBeLessThanOrEqual(lines);
        expect(location.column).toBeGreaterThanOrEqual(1);
        expect(`${rule}: ${message}`).toMatch(/^[a-z-]+: .*[.?!)`]$/s);
        expect(message).not.toMatch(/\n {4}at |undefined|\[object |ZodError/);
      }
      if (!workflow) {
        expect(findings.some(({ severity }) => severity === "error")).toBe(true);
        return;
      }
      const document = parseDocument(text);
      const errors = findings.filter(({ severity }) => severity === "error");
      /** A step, group or section with an error may be read in part only. */
      const isBroken = (path: Path): boolean => {
        const node = document.getIn(path, true);
        const [from = 0, to = 0] = isNode(node) ? (node.range ?? []) : [];
        const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
        return errors.some(({ location: { line } }) => lineOf(from) <= line && line <= lineOf(to));
      };
      const silently = [...lost(file, inDefinition(workflow), [])].filter((path) => {
        const { line } = workflow.positions.key(path);
        const isSaidHere = findings.some(
          ({ location, end }) => location.line <= line && line <= (end?.line ?? location.line),
        );
        return !isSaidHere && !isBroken(path.slice(0, 2));
      });
      expect(silently).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});
