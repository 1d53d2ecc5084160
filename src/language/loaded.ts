// What loading a workflow file gives: the typed definition, the way back from every value to its place in a file, and
// what was found, in words and in the order in which one reads.
import type { Skill } from "../steps/caller.ts";
import type { McpServer } from "../steps/schema/provider.ts";
import type { FileDialect, Step, WorkflowFile } from "./schema/index.ts";

const MOST_SHOWN = 60;

/** A value as it was found, short enough for a sentence. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  switch (typeof value) {
    case "string":
      return `the text ${JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value)}`;
    case "number":
      return `the number ${value}`;
    case "object":
      return "a mapping";
    default:
      return String(value);
  }
}

/** Findings in the order in which one reads: the root file first, then line by line; each once. */
export function inOrder(findings: readonly Finding[], rootFile: string | undefined): Finding[] {
  const files = [
    ...new Set([...(rootFile === undefined ? [] : [rootFile]), ...findings.map((one) => one.location.file)]),
  ];
  const rank = new Map(files.map((file, index) => [file, index]));
  const seen = new Set<string>();
  return findings
    .filter(({ rule, message, location: { file, line, column } }) => {
      const key = JSON.stringify([rule, message, file, line, column]);
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => {
      const [one, other] = [a.location, b.location];
      return (
        (rank.get(one.file) ?? 0) - (rank.get(other.file) ?? 0) || one.line - other.line || one.column - other.column
      );
    });
}

export function describedServers({ definition }: LoadedWorkflow): readonly (readonly [name: string, McpServer])[] {
  const ofAgents = stepsOf(definition).map((step) => (step.type === "agent" ? (step.mcp_servers ?? {}) : {}));
  return [definition.workflow.runtime.mcp_servers, ...ofAgents].flatMap((servers) => Object.entries(servers));
}

export interface Location {
  /** Absolute where it is found; relative to the working directory where it is shown to a user. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

/** The way to a value in the file: `["agents", 0, "routes", 1, "to"]`. Keys are as written (`steps` stays `steps`). */
export type NodePath = readonly (string | number)[];

export interface Positions {
  /** Where the value at `path` stands; the nearest ancestor's place if it is not in the file (a default). */
  at(path: NodePath): Location;
  /** Where the key that leads to `path` stands; for list items the item. */
  key(path: NodePath): Location;
  /** Where a line and column (1-based) inside the string value at `path` stand in the file: for templates. */
  inside(path: NodePath, line: number, column: number): Location;
  /** Where the same ends, on its first line: of the value, of its key, or of the name that stands inside it. */
  end(path: NodePath, part?: PartOfValue): Location;
}

/** What is meant of a path: its value, its key, or a name inside the text (1-based). */
export interface PartOfValue {
  readonly at?: "key" | "value";
  readonly line?: number;
  readonly column?: number;
}

export type Severity = "error" | "warning";

/** One thing that `validate` has to say. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong, why, and what to do, in sentences. */
  readonly message: string;
  readonly location: Location;
  /** Just after its last character, both 1-based; absent when only the beginning is known. */
  readonly end?: { readonly line: number; readonly column: number };
  /** Nearest names or texts that would do, best first. */
  readonly suggestions: readonly string[];
  /** The step or group it is about, when it is about one. */
  readonly node?: string;
  /** For findings in sub-workflows: the steps that lead there from the root file. */
  readonly via?: readonly string[];
}

/** The outside world as the loader sees it, so that a pinned definition loads like a file. */
export interface LoadWorld {
  /** Reads a text file; throws an error with a Node `code` (ENOENT, EISDIR, EACCES …) when it cannot. */
  read(file: string): Uint8Array;
  /** Whether something exists at that path (skills, plugins, policy modules). */
  exists(path: string): boolean;
  /** Names of what a folder holds; nothing when it is none. */
  list?(folder: string): readonly string[];
  /** Whether this machine is known not to have a command. */
  readonly lacks?: (command: string) => boolean;
  /** Whether a file matches a pattern, relative to a folder. Left out where files are not looked at. */
  readonly hasFile?: (pattern: string, dir: string) => boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Workflow files that are code, by absolute path. */
  readonly defined?: ReadonlyMap<string, DefinedFile>;
}

/** What a workflow that is defined in code would say as a file. */
export interface DefinedFile {
  readonly text: string;
  /** From places in that text to places in the code. */
  lines(): { at(offset: number): { readonly line: number; readonly column: number } };
}

/** The value at a path of plain data; undefined where nothing is written. */
export function writtenAt(raw: unknown, path: NodePath): unknown {
  let here = raw;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[key];
  }
  return here;
}

/** Where a file lists the kinds that `resilience.retry` tries again: under the older name, if it has that. */
export function retriedKindsPath({ raw }: Pick<LoadedWorkflow, "raw">): NodePath {
  const retry: NodePath = ["workflow", "resilience", "retry"];
  return [...retry, writtenAt(raw, [...retry, "on"]) === undefined ? "retryable" : "on"];
}

/** Gives the text of a template that another one names. */
export type TemplateSource = (name: string) => string | undefined;

/** A file with all that it calls, over any number of calls: what a run pins, and what must be the same for a child to be. */
export const familySources = (workflow: LoadedWorkflow): ReadonlyMap<string, string> =>
  new Map(familyOf(workflow).flatMap(({ sources }) => [...sources]));

/** The file and all that it calls, each once, a caller before what it calls. */
export function familyOf(root: LoadedWorkflow): readonly LoadedWorkflow[] {
  const family = new Set<LoadedWorkflow>();
  const add = (member: LoadedWorkflow): void => {
    if (family.has(member)) return;
    family.add(member);
    for (const child of member.children.values()) add(child);
  };
  add(root);
  return [...family];
}

/** All steps of a file, also those that its `for_each` groups run. */
export const stepsOf = ({ agents, for_each }: Pick<WorkflowFile, "agents" | "for_each">): readonly Step[] => [
  ...agents,
  ...for_each.map(({ agent }) => agent),
];

/** The types of all steps of a file and of those that it calls. */
export const typesUsedIn = (root: LoadedWorkflow): ReadonlySet<string> =>
  new Set(familyOf(root).flatMap(({ definition }) => stepsOf(definition).map(({ type }) => type)));

export interface LoadedWorkflow {
  /** Absolute path. */
  readonly file: string;
  readonly dir: string;
  /** For people. What follows from it is in `definition.semantics`, and nothing else may depend on it. */
  readonly dialect: FileDialect;
  readonly definition: WorkflowFile;
  /** The tree as written, `!file` taken in, `${ENV}` unresolved: what a step's hash is made of. */
  readonly raw: unknown;
  readonly positions: Positions;
  /** The file and what it takes in (`!file`, prompts, instructions), absolute path → text. For its children too: `familySources`. */
  readonly sources: ReadonlyMap<string, string>;
  /** Loaded sub-workflows by the path as written in the step (`workflow:`). A cycle points at the same object. */
  readonly children: ReadonlyMap<string, LoadedWorkflow>;
  /** `workflow.instructions` as one text. */
  readonly instructions: string;
  /** What each entry of `skills` stands for; empty where nothing was found. */
  readonly skills: ReadonlyMap<string, readonly Skill[]>;
  /** Templates that the text at a path may take in; none unless it came from a `!file`. */
  templatesAt(path: NodePath): TemplateSource | undefined;
  /** Where a step or group stands: its path in the file; the root's when there is none of that name. */
  pathOf(node: string): NodePath;
  /** Places whose value was missing or wrong and is only stood in for. Findings about them would be no news. */
  readonly standIns: readonly NodePath[];
}
