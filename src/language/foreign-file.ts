// YAML files beside workflows, scenarios for one: held against a schema with the same sentences and places.
import type * as z from "zod";
import { check } from "./check.ts";
import { composeFile } from "./include.ts";
import type { Finding, LoadWorld, Positions } from "./loaded.ts";
import { Page } from "./page.ts";
import { locate, sourceFile } from "./source-file.ts";

export interface ForeignFile<Value> {
  /** Absent when something is wrong. */
  readonly value?: Value;
  /** Where things stand in it; absent when something is wrong. */
  readonly positions?: Positions;
  readonly findings: readonly Finding[];
}

const NOWHERE: LoadWorld = {
  read: (file) => {
    throw Object.assign(new Error(`${file} is not read from here`), { code: "ENOENT" });
  },
  exists: () => false,
  env: {},
};

/** `kind` follows "a field of": "a scenario". */
export function readForeignFile<Schema extends z.ZodType>(
  schema: Schema,
  { path, text, kind }: { readonly path: string; readonly text: string; readonly kind: string },
): ForeignFile<z.output<Schema>> {
  const source = sourceFile(path, text);
  const { tree, problems } = composeFile(source, { world: NOWHERE, sources: new Map() });
  const findings: Finding[] = problems.map(({ rule, message, place }) => ({
    rule,
    severity: "error",
    message,
    location: locate(place.source, place.start),
    suggestions: [],
  }));
  if (findings.length > 0) return { findings };
  if (tree?.kind !== "mapping") {
    const message = `The file is ${tree ? "no mapping" : "empty"}. It must hold the fields of ${kind}.`;
    return {
      findings: [{ rule: "wrong-type", severity: "error", message, location: locate(source, 0), suggestions: [] }],
    };
  }
  const page = new Page(tree);
  const value = check(schema, page.value, page, { name: "", kind, path: [], isForeign: true });
  return page.findings.length > 0 ? { findings: page.findings } : { findings: [], value, positions: page.positions };
}
