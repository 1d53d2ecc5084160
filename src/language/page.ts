// One file on its way through loading: its tree, its values, and the list of what was found.

import type { Environment } from "./environment.ts";
import type { Finding, Location, NodePath, Positions, Severity } from "./loaded.ts";
import { insideScalar, pathKey, positionsOf, type Resolved, resolveEnvironment } from "./positions.ts";
import { SEMANTICS, type Semantics } from "./schema/semantics.ts";
import { type Tree, treeAt } from "./tree.ts";

/** What a part of the file is called in sentences. */
export interface Subject {
  /** The step or group, when it is one. */
  readonly node?: string;
  /** Follows "of": "step `build`". Empty where paths say it all. */
  readonly name: string;
  /** Follows "a field of": "a script step". */
  readonly kind: string;
  /** The path to it in the file. */
  readonly path: NodePath;
  /** It is a step: a key of another step type may stand in it. */
  readonly isStep?: true;
  /** Not part of a workflow file, so a strange key belongs nowhere in one. */
  readonly isForeign?: true;
  /** Its keys, when the schema at hand is only part of it. */
  readonly known?: () => readonly string[];
}

export interface ReportOptions {
  readonly at?: "key" | "value";
  readonly severity?: Severity;
  readonly suggestions?: readonly string[];
  readonly node?: string | undefined;
  readonly end?: Finding["end"] | undefined;
}

/** A longer list would not be read; a file with so many findings is not the file that was meant. */
const MOST_FINDINGS = 200;

export class Page {
  readonly findings: Finding[] = [];
  /** Places whose value was missing or wrong and is only stood in for; what rules say about them is not news. */
  readonly standIns: NodePath[] = [];
  readonly positions: Positions;
  readonly #resolved: Resolved;

  constructor(
    readonly tree: Tree,
    env?: Environment,
    /** What the file means where the dialects differ. */
    readonly semantics: Semantics = SEMANTICS.steps,
  ) {
    this.#resolved = resolveEnvironment(tree, env, semantics.variables);
    this.positions = positionsOf(tree, this.#resolved.expansions);
    this.#reportGaps();
  }

  /** The values, environment put in. */
  get value(): unknown {
    return this.#resolved.value;
  }

  /** Whether the environment wrote (part of) the value at a path. */
  isExpanded(path: NodePath): boolean {
    return (this.#resolved.expansions.get(pathKey(path))?.expansion.edits.length ?? 0) > 0;
  }

  /** Whether the value at a path lacks a variable or a file, which has been said already. */
  isIncomplete(path: NodePath): boolean {
    if (this.treeAt(path)?.isBroken) return true;
    return (this.#resolved.expansions.get(pathKey(path))?.expansion.gaps.length ?? 0) > 0;
  }

  treeAt(path: NodePath): Tree | undefined {
    return treeAt(this.tree, path);
  }

  report(
    rule: string,
    path: NodePath,
    message: string,
    { at = "value", severity = "error", suggestions = [], node }: ReportOptions = {},
  ): void {
    const location = at === "key" ? this.positions.key(path) : this.positions.at(path);
    const { line, column } = this.positions.end(path, { at });
    this.reportAt(rule, location, message, { severity, suggestions, node, end: { line, column } });
  }

  reportAt(rule: string, location: Location, message: string, said: ReportOptions = {}): void {
    const { severity = "error", suggestions = [], node, end } = said;
    if (this.isFull) {
      if (this.findings.length > MOST_FINDINGS || severity !== "error") return;
      const more = `There is more to say, but ${MOST_FINDINGS} findings are enough for now. Is this the right file?`;
      this.findings.push({ rule: "too-many-findings", severity, message: more, location, suggestions: [] });
      return;
    }
    this.findings.push({ rule, severity, message, location, suggestions, node, end });
  }

  /** Whether so much has been said that more would not help. */
  get isFull(): boolean {
    return this.findings.length >= MOST_FINDINGS;
  }

  #instead(name: string): string {
    const fallback = `give it a default (\`\${${name}:-value}\`)`;
    const isShell = this.semantics.variables === "shell";
    return isShell ? `, ${fallback}, or write \`$\${${name}}\` for the text itself` : `, or ${fallback}`;
  }

  #reportGaps(): void {
    for (const { scalar, expansion } of this.#resolved.expansions.values()) {
      const seen = new Set<string>();
      for (const { name, offset, reason } of expansion.gaps) {
        if (seen.has(name)) continue;
        seen.add(name);
        const message =
          reason === "unset"
            ? `The environment variable \`${name}\` is not set. Set it${this.#instead(name)}.`
            : `The environment variable \`${name}\` refers to others without end.`;
        this.reportAt("unset-variable", insideScalar(scalar, offset), message);
      }
    }
  }
}

/** A path as people write it: `routes[1].retry.max`. */
export function pathText(path: NodePath): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    "",
  );
}
