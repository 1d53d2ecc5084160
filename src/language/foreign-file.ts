// YAML files beside workflows, scenarios for one: held against a schema with the same sentences and places.
import type * as z from "zod";
import { check } from "./check.ts";
import { type Environment, environmentNames } from "./environment.ts";
import { composeFile } from "./include.ts";
import type { Finding, LoadWorld, Location, NodePath, Positions } from "./loaded.ts";
import { Page } from "./page.ts";
import { locate, sourceFile, type Tree, treeAt, treeValue, writtenText } from "./tree.ts";

export interface ForeignFile<Value> {
  /** Absent when something is wrong. */
  readonly value?: Value;
  /** Where things stand in it; absent when something is wrong. */
  readonly positions?: Positions;
  readonly findings: readonly Finding[];
  /** A scalar as it was written, without quotes; nothing where no scalar stands, or when something is wrong. */
  readonly written?: (path: NodePath) => string | undefined;
  /** Where a value of the file stands, or its key. */
  readonly at?: (path: NodePath, part?: "key") => Location;
}

const NOWHERE: LoadWorld = {
  read: (file) => {
    throw Object.assign(new Error(`${file} is not read from here`), { code: "ENOENT" });
  },
  exists: () => false,
  env: {},
};

interface Reading {
  readonly path: string;
  readonly text: string;
  /** Follows "a field of": "a scenario". */
  readonly kind: string;
  /** Put in where the file says so. A variable that is not set is empty, and a warning. */
  readonly env?: Environment;
  /** Where files are that it may take in with `!file`; none when left out. */
  readonly files?: LoadWorld;
}

export function readForeignFile<Schema extends z.ZodType>(
  schema: Schema,
  { path, text, kind, env, files }: Reading,
): ForeignFile<z.output<Schema>> {
  const source = sourceFile(path, env ? withVariablesHidden(text) : text);
  const { tree: composed, problems } = composeFile(source, {
    world: files ?? NOWHERE,
    sources: new Map(),
    ...(files ? {} : { takesNothingIn: kind }),
  });
  const findings: Finding[] = problems.map(({ rule, message, place }) => ({
    rule,
    severity: "error",
    message,
    location: locate(place.source, place.start),
    suggestions: [],
  }));
  if (findings.length > 0) return { findings };
  const tree = composed && env ? withVariables(composed) : composed;
  if (tree?.kind !== "mapping") {
    const message = `The file is ${tree ? "no mapping" : "empty"}. It must hold the fields of ${kind}.`;
    return {
      findings: [{ rule: "wrong-type", severity: "error", message, location: locate(source, 0), suggestions: [] }],
    };
  }
  const page = new Page(tree, env && withEmpty(env, treeValue(tree)));
  if (env) warnUnset(page, env);
  const value = check(schema, page.value, page, { name: "", kind, path: [], isForeign: true });
  const isWrong = page.findings.some(({ severity }) => severity === "error");
  return {
    findings: page.findings,
    at: (where, part) => (part === "key" ? page.positions.key(where) : page.positions.at(where)),
    ...(isWrong || value === undefined
      ? {}
      : { value, positions: page.positions, written: (where) => writtenAt(tree, where) }),
  };
}

function writtenAt(tree: Tree, path: NodePath): string | undefined {
  const found = treeAt(tree, path);
  if (found?.kind !== "scalar") return undefined;
  return typeof found.value === "string" ? found.value : writtenText(found);
}

/**
 * `{ secret: ${SECRET} }` is no YAML: a brace ends what stands in a flow mapping. The braces of variables are put in other
 * letters while the file is read, each of the same length, so that every place stays what it is.
 */
const withVariablesHidden = (text: string): string =>
  text.replace(/\$\{([A-Za-z_]\w*(?::-[^{}\n]*)?)\}/g, `$$${OPEN}$1${CLOSE}`);

const OPEN = "\uE0F0";
const CLOSE = "\uE0F1";

function withVariables(tree: Tree): Tree {
  switch (tree.kind) {
    case "scalar":
      return typeof tree.value === "string"
        ? { ...tree, value: tree.value.replaceAll(OPEN, "{").replaceAll(CLOSE, "}") }
        : tree;
    case "list":
      return { ...tree, items: tree.items.map(withVariables) };
    case "mapping":
      return {
        ...tree,
        entries: new Map(
          [...tree.entries].map(([key, entry]) => [key, { ...entry, value: withVariables(entry.value) }]),
        ),
      };
    default:
      return tree satisfies never;
  }
}

/** What is not set is empty: the reader of the value decides whether that will do. */
const withEmpty = (env: Environment, raw: unknown): Environment => ({
  ...Object.fromEntries(environmentNames(raw).map((name) => [name, ""])),
  ...Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
});

/** Without a default only: who wrote one has thought of it. */
function warnUnset(page: Page, env: Environment): void {
  const strict = new Page(page.tree, env);
  for (const finding of strict.findings)
    page.reportAt(
      finding.rule,
      finding.location,
      finding.message.replace(" is not set.", " is not set, so it is empty here."),
      { severity: "warning" },
    );
}
