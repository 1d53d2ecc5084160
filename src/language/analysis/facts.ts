// Everything that rules ask about one file, each thing computed once, when it is first asked for; and what its
// templates read: every site parsed once, its references beside it, or why it does not parse.
import { type Shape, UNKNOWN } from "../../steps/step-type.ts";
import { compileCondition, type Reference, references, TemplateError } from "../../template/index.ts";
import { hasTags } from "../../template/template.ts";
import type { LoadedWorkflow } from "../loaded.ts";
import { type ErrorFlow, fileFlowOf } from "./error-flow.ts";
import { flowMapOf, type Graph } from "./graph.ts";
import type { FlowNode, Nodes } from "./nodes.ts";
import type { Raise } from "./raises.ts";
import { END, isSuccessRoute, STOP } from "./routes.ts";
import { hasChanges, looksLikeTemplate, outputShape } from "./shapes.ts";
import { listSites, type Site } from "./sites.ts";

export interface Facts {
  readonly nodes: Nodes;
  readonly graph: Graph;
  readonly sites: readonly Site[];
  readonly reads: Reads;
  readonly errors: ErrorFlow;
  /** Whether what leads where is known: there is an entry point, and every step and route parsed. */
  readonly flowKnown: boolean;
  /** Whether, beyond that, every route leads somewhere. If not, findings would blame the step that it was meant for. */
  readonly pathsKnown: boolean;
  raises(node: FlowNode): readonly Raise[];
  canRaise(node: FlowNode): boolean;
  /** The shape of a step's output, or of a group. */
  shape(name: string): Shape;
  /** Whether a step or group has `changes` beside what it gives. */
  hasChanges(node: FlowNode): boolean;
}

/** Fields that decide where a run goes. Where one is only stood in for, the ways through the file are not known. */
const FLOW_FIELDS: ReadonlySet<string | number> = new Set(
  "routes error_routes entry_point options abort_route type".split(" "),
);

const isFlowBroken = ({ standIns }: LoadedWorkflow): boolean =>
  standIns.some((path) => path.length <= 1 || path.some((key) => FLOW_FIELDS.has(key)));

/** Whether every target exists and every success route has an action that goes with success. */
const leadsSomewhere = (nodes: Nodes, { edges }: Graph): boolean =>
  edges.every(({ to }) => to === END || to === STOP || nodes.names.has(to)) &&
  nodes.all.every(({ routes }) =>
    routes.every((route) => !isSuccessRoute(route) || route.to !== undefined || route.halt !== undefined),
  );

/** An object whose fields are computed when they are first asked for. */
function lazily<T extends object>(fields: { readonly [Key in keyof T]: () => T[Key] }): T {
  const object = {} as T;
  for (const key of Object.keys(fields) as (keyof T)[])
    Object.defineProperty(object, key, {
      configurable: true,
      get() {
        const value = fields[key]();
        Object.defineProperty(object, key, { value });
        return value;
      },
    });
  return object;
}

/** Gathers the facts of a file, lazily. */
export function gatherFacts(workflow: LoadedWorkflow): Facts {
  const shapes = new Map<string, Shape>();
  const facts: Facts = lazily({
    nodes: () => flowMapOf(workflow).nodes,
    graph: () => flowMapOf(workflow).graph,
    sites: () => listSites(workflow, facts.nodes, facts.graph.isHandler),
    reads: () => readSites(facts.sites),
    errors: () => fileFlowOf(workflow),
    flowKnown: () => facts.nodes.complete && facts.graph.rooted && !isFlowBroken(workflow),
    pathsKnown: () => facts.flowKnown && leadsSomewhere(facts.nodes, facts.graph),
    raises: () => (node) => fileFlowOf(workflow).raises.get(node) ?? [],
    canRaise: () => flowMapOf(workflow).canRaise,
    hasChanges: () => (node) => hasChanges(node, facts.nodes, workflow),
    shape: () => (name) => {
      const known = shapes.get(name);
      if (known) return known;
      const node = facts.nodes.get(name);
      const shape = node ? outputShape(node, facts.nodes, workflow) : UNKNOWN;
      shapes.set(name, shape);
      return shape;
    },
  });
  return facts;
}

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
  /** Whether it is only asked if it is there: `a.error is defined`, which a step may ask of itself. */
  readonly tested: boolean;
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

interface Reads {
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
  if (site.dialect === "template") return hasTags(site.source) ? references(site.source) : [];
  if (looksLikeTemplate(site.source)) return references(site.source);
  const path = parseDotted(site.source);
  return path
    ? [{ path, line: 1, column: 1, guarded: site.optional, needsRoot: false }]
    : "This is not a dotted path such as `finder.output.topics`";
}

/** Parses every site. A site that does not parse becomes a problem and reads nothing. */
function readSites(sites: readonly Site[]): Reads {
  const all: Read[] = [];
  const problems: SyntaxProblem[] = [];
  for (const site of sites) {
    const inExpression = isExpression(site);
    try {
      const found = referencesIn(site);
      if (typeof found === "string") problems.push({ site, message: found, line: 1, column: 1, inExpression });
      else
        for (const { path, line, column, guarded, needsRoot, tested } of found)
          all.push({
            site,
            path,
            line,
            column,
            guarded: guarded || site.optional,
            needsRoot: needsRoot && !site.optional,
            tested: tested === true,
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
