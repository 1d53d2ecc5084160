// What the steps of one workflow know of each other. "Never ran", "ran and gave null" and "raised" are three different
// states: a step that never ran has no entry, one that ran has `output`, one that raised has `error` (and what it made before).
import type { AgentChanges, Envelope } from "../../base/errors/index.ts";
import { MISSING, type Scope } from "../../template/index.ts";
import { estimateTokens, type Trim, type Trimmed, trimAsConductor, trimOldest } from "./trim.ts";

export interface WorkflowNames {
  readonly input: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly description: string;
  readonly dir: string;
  readonly file: string;
}

/** A step that raised, with what it gave and changed before. */
export const raisedView = (error: Envelope, output: unknown, changes: AgentChanges | undefined): NodeView => ({
  ...(output === undefined ? {} : { output }),
  error,
  ...agentView(changes),
});

/** What is read of an agent that works in a folder, beside its output. */
export function agentView(given: AgentChanges | undefined): NodeView {
  if (!given) return {};
  const { denied = [], ...changes } = given;
  return { changes, denied };
}

/** A context as JSON: what a keyframe keeps of it. */
export interface PackedContext {
  /** In the order of time. */
  readonly views: readonly (readonly [string, NodeView])[];
  /** All of it where templates may read it, else its end. */
  readonly history: readonly string[];
  readonly last: string | null;
  readonly executions: number;
  readonly iteration: number;
}

/** How much of the history a reached limit reports. */
const REPORTED_HISTORY = 20;
const MOST_UNREAD = 10_000;

export class WorkflowContext {
  readonly #views = new Map<string, NodeView>();
  readonly #history: string[] = [];
  #last: string | undefined;
  #executions = 0;
  #iteration = 0;

  constructor(
    readonly workflow: WorkflowNames,
    /** Whether any template may read the history: most read `context.iteration` at most, in every turn of a loop. */
    readonly isHistoryRead = true,
  ) {}

  /** A step succeeded; an error it had before is gone. */
  succeeded(node: string, output: unknown, changes?: AgentChanges): void {
    this.#store(node, { output, ...agentView(changes) });
  }

  /** A step raised; what it produced before that stays readable beside the error. */
  raised(node: string, error: Envelope, output: unknown, changes?: AgentChanges): void {
    this.#store(node, raisedView(error, output, changes));
  }

  /** A group ended: its own fields are directly under its name. */
  grouped(node: string, fields: NodeView, error?: Envelope): void {
    this.#store(node, error ? { ...fields, error } : fields);
  }

  #store(node: string, view: NodeView): void {
    // Re-inserted, so that the order of the map is the order of time: trimming drops what is oldest.
    this.#views.delete(node);
    this.#views.set(node, view);
    this.attempted(node);
  }

  /** An attempt ended, of which nothing is known but that. */
  attempted(node: string): void {
    // A loop without a limit goes on for millions of steps: what no template reads is not kept.
    if (!this.isHistoryRead && this.#history.length >= MOST_UNREAD) this.#history.splice(0, MOST_UNREAD / 2);
    this.#history.push(node);
    this.#last = node;
  }

  /** Holds the same of a node in another way: its large texts are read back when they are looked at. */
  replace(node: string, view: NodeView): void {
    if (this.#views.has(node)) this.#views.set(node, view);
  }

  /** How things stand before a node's end is tried out; what is given back restores that. */
  keep(node: string): () => void {
    const view = this.#views.get(node);
    const last = this.#last;
    const { length } = this.#history;
    return () => {
      if (view === undefined) this.#views.delete(node);
      else this.#views.set(node, view);
      this.#last = last;
      if (this.#history.length > length) this.#history.length = length;
    };
  }

  packed(): PackedContext {
    return {
      views: [...this.#views],
      history: this.isHistoryRead ? this.#history : this.#history.slice(-REPORTED_HISTORY),
      last: this.#last ?? null,
      executions: this.#executions,
      iteration: this.#iteration,
    };
  }

  /** Into a context to which nothing has happened yet. */
  restore({ views, history, last, executions, iteration }: PackedContext): void {
    for (const [node, view] of views) this.#views.set(node, view);
    // One by one: a long run has more of them than a call can take.
    for (const node of history) this.#history.push(node);
    this.#last = last ?? undefined;
    this.#executions = executions;
    this.#iteration = iteration;
  }

  /** The nodes that ended last. */
  get latest(): readonly string[] {
    return this.#history.slice(-REPORTED_HISTORY);
  }

  view(node: string): NodeView | undefined {
    return this.#views.get(node);
  }

  /** What `max_iterations` counts: every attempt at a step, members of groups among them. */
  get executions(): number {
    return this.#executions;
  }

  execute(times: number): void {
    this.#executions += times;
  }

  /** What templates see as `context.iteration`: as in Conductor a group counts once, and its members see it as it was before. */
  get iteration(): number {
    return this.#iteration;
  }

  iterate(times: number): void {
    this.#iteration += times;
  }

  get history(): readonly string[] {
    return this.#history;
  }

  /** Every step that ran: what routes, gates, hooks and the workflow's output see, whatever the mode. */
  readonly everything: Scope = {
    get: (name) => {
      // Steps of files with `agents:` may be called `workflow` or `context`; templates do not reach them.
      const base = this.#base(name);
      return base === MISSING ? (this.#views.get(name) ?? MISSING) : base;
    },
    names: () => ["workflow", "context", ...this.#views.keys()],
  };

  /** Only the step that ran last, also when it raised. */
  readonly lastOnly: Scope = {
    get: (name) => {
      const base = this.#base(name);
      return base === MISSING && name === this.#last ? (this.#views.get(name) ?? MISSING) : base;
    },
    names: () => ["workflow", "context", ...(this.#last === undefined ? [] : [this.#last])],
  };

  /** The names that will be different when this step has ended so: the output of a terminate step reads itself. */
  after(node: string, output: unknown): Readonly<Record<string, unknown>> {
    return { [node]: { output }, context: { iteration: this.#iteration + 1, history: [...this.#history, node] } };
  }

  /** `context` as it was so many ends of nodes ago. */
  before(ends: number): unknown {
    return { iteration: this.#iteration - ends, history: this.#history.slice(0, -ends) };
  }

  #base(name: string): unknown {
    if (name === "workflow") return this.workflow;
    if (name === "context") return this.#now();
    return MISSING;
  }

  /** A step may keep what it is given: it is how things stood then, although it is copied only for who asks. */
  #now(): unknown {
    const all = this.#history;
    if (!this.isHistoryRead) return { iteration: this.#iteration, history: all };
    const { length } = all;
    return {
      iteration: this.#iteration,
      get history() {
        return all.slice(0, length);
      },
    };
  }

  /** Makes the stored outputs fit into so many tokens; says what was dropped or cut. */
  trim(maxTokens: number, strategy: Trim, asConductor = false): readonly string[] {
    if (asConductor) return this.#applyTrim(trimAsConductor(this.#views, this.#rest(), maxTokens, strategy));
    const sizes = [...this.#views].map(([node, view]) => ({ node, view, tokens: estimateTokens(view) }));
    return this.#applyTrim(trimOldest(sizes, maxTokens, strategy));
  }

  /** What templates see beside the nodes. */
  #rest(): unknown {
    return {
      workflow: { input: this.workflow.input },
      context: { iteration: this.#iteration, history: this.#history },
      stages: {},
    };
  }

  #applyTrim({ dropped, replaced }: Trimmed): readonly string[] {
    for (const node of dropped) this.#views.delete(node);
    for (const [node, view] of replaced) this.#views.set(node, view);
    return [...dropped, ...replaced.keys()];
  }
}

/** A step or a group as templates see it. */
type NodeView = Readonly<Record<string, unknown>>;
