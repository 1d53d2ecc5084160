// What the templates of a file read: every site parsed once, its references beside it, or why it does not parse.
import { compileCondition, type Reference, references, TemplateError } from "../../template/index.ts";
import { looksLikeTemplate } from "./shapes.ts";
import type { Site } from "./sites.ts";

export interface Read {
  readonly site: Site;
  readonly path: readonly (string | number)[];
  /** Its place inside the site's text, 1-based. */
  readonly line: number;
  readonly column: number;
  /** Whether a missing value is provided for: `is defined`, `default`, an `if` around it, or `?` on an input. */
  readonly guarded: boolean;
  /** Guarded, but not against a step that has not run: `a.output | default(1)` still needs `a`. */
  readonly needsRoot: boolean;
  /** Whether it stands in a condition without braces, where names may be bare or flattened. */
  readonly inExpression: boolean;
}

export interface SyntaxProblem {
  readonly site: Site;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly inExpression: boolean;
}

export interface Reads {
  readonly all: readonly Read[];
  readonly problems: readonly SyntaxProblem[];
}

const DOTTED = /^[\p{ID_Start}_$][\p{ID_Continue}-]*(?:\.[\p{ID_Continue}-]+|\[\d+\]|\[(?:'[^']*'|"[^"]*")\])*$/u;
const PART = /[\p{ID_Continue}$-]+|'[^']*'|"[^"]*"/gu;

/** Reads `finder.output.topics[0]` as a path; nothing when it is not of that form. */
export function parseDotted(text: string): readonly (string | number)[] | undefined {
  const trimmed = text.trim().replace(/\?$/, "");
  if (!DOTTED.test(trimmed)) return undefined;
  return (trimmed.match(PART) ?? []).map((part) =>
    /^\d+$/.test(part) ? Number(part) : /^['"]/.test(part) ? part.slice(1, -1) : part,
  );
}

/** Without braces a condition is an expression. */
export const isExpression = (site: Site): boolean => site.dialect === "condition" && !looksLikeTemplate(site.source);

/** The references of a site, or a sentence that says why there are none to be had. */
function referencesIn(site: Site): readonly Reference[] | string {
  if (site.dialect === "condition") return compileCondition(site.source).references;
  if (looksLikeTemplate(site.source)) return references(site.source);
  if (site.dialect !== "reference") return [];
  const path = parseDotted(site.source);
  return path
    ? [{ path, line: 1, column: 1, guarded: site.optional, needsRoot: false }]
    : "This is not a dotted path such as `finder.output.topics`";
}

/** Parses every site. A site that does not parse becomes a problem and reads nothing. */
export function readSites(sites: readonly Site[]): Reads {
  const all: Read[] = [];
  const problems: SyntaxProblem[] = [];
  for (const site of sites) {
    const inExpression = isExpression(site);
    try {
      const found = referencesIn(site);
      if (typeof found === "string") problems.push({ site, message: found, line: 1, column: 1, inExpression });
      else
        for (const { path, line, column, guarded, needsRoot } of found)
          all.push({
            site,
            path,
            line,
            column,
            guarded: guarded || site.optional,
            needsRoot: needsRoot && !site.optional,
            inExpression,
          });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { message, line, column } = error;
      problems.push({ site, message, line: Math.max(line, 1), column: Math.max(column, 1), inExpression });
    }
  }
  return { all, problems };
}
