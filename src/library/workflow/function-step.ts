// Steps that are functions of the program. What they return is their output, and what they raise meets the same routes as
// any other error. A finished one is not called again by a resume: it is known by its name, its version and its inputs.
import { createHash } from "node:crypto";
import { failed, type Outcome, raised, succeeded } from "../../errors/index.ts";
import { FUNCTION } from "../../services/defined/definition.ts";
import type { StepAttempt } from "../../services/own-steps/own-step.ts";
import { isThenable, outcomeOf } from "../outcome-of.ts";
import type { EngineKinds } from "./kinds.ts";
import type { Node, StepRead } from "./node.ts";
import { type Resolved, type Text, typedValue, type Value, written } from "./ref.ts";
import { made } from "./steps.ts";

/** What a function step is given. */
export interface FunctionCall<Input, Kind extends string = string>
  extends Pick<StepAttempt, "attempt" | "idempotencyKey" | "signal" | "clock" | "workflow"> {
  /** The inputs of the step, or of the workflow. */
  readonly input: Input;
  /** Ends the step with an error of one of the kinds that it lists in `raises`. */
  readonly raise: (kind: Kind, message: string, details?: Readonly<Record<string, unknown>>) => never;
}

interface FunctionFields<Kind extends string> {
  readonly description?: string;
  /** The kinds of error that it raises. */
  readonly raises?: readonly Kind[];
  /** Raise it when the same inputs would give another output: results of before are not reused then. 1 when left out. */
  readonly version?: number | string;
  /** Its code counts as well: whatever changes in it, a resume runs the step again. */
  readonly hash?: boolean;
  /** Seconds after which `signal` is aborted and the step raises `internal.timeout`. */
  readonly timeout?: number | Text;
  /** Reuse its result in other runs, as long as its inputs are the same. */
  readonly cache?: boolean | { readonly ttl?: number | string };
  readonly phase?: string;
}

type Run<Input, Output, Kind extends string> = (call: FunctionCall<Input, Kind>) => Output | PromiseLike<Output>;

type FunctionNode<Input, Output, Kind extends string> = Node<
  Input,
  StepRead<Output>,
  // A group that takes any kind says nothing about this one's.
  NoInfer<Kind> | EngineKinds["function"],
  NoInfer<Kind> | EngineKinds["function"]
>;

/**
 * A step that is a function. Given alone, it gets the workflow's inputs; with `input`, what that comes to.
 * As in `.step("build", step(async ({ input, signal }) => compile(input.version, signal), { raises: ["build.broken"] }))` and
 * `.step("sign", ({ steps }) => step({ input: { file: steps.build.output.file }, run: ({ input }) => sign(input.file) }))`.
 */
export function step<Input, Output, const Kind extends string = never>(
  run: Run<Input, Output, Kind>,
  fields?: FunctionFields<Kind>,
): FunctionNode<Input, Output, Kind>;
export function step<const Given extends Value, Output, const Kind extends string = never>(
  fields: FunctionFields<Kind> & { readonly input: Given; readonly run: Run<Resolved<Given>, Output, Kind> },
): FunctionNode<unknown, Output, Kind>;
export function step(given: unknown, fields: object = {}): never {
  const isAlone = typeof given === "function";
  const {
    run,
    input,
    hash,
    raises = [],
    ...rest
  } = (isAlone ? { ...fields, run: given } : { ...(given as object), ...fields }) as FunctionFields<string> & {
    readonly run: Run<unknown, unknown, string>;
    readonly input?: unknown;
  };
  if (typeof run !== "function") throw new TypeError("step takes a function, or an object with `run` and `input`");
  const code = hash ? { code: createHash("sha256").update(String(run)).digest("hex") } : {};
  const inputs = isAlone ? {} : { given: typedValue(written(input, "`input` of step")) };
  return made(FUNCTION, { ...rest, raises, ...code, ...inputs }, { run: outcomeOfCall(run), takesInput: isAlone });
}

/** What `raise` throws; a step that lets it through ends with that error. */
class RaisedInStep extends Error {
  readonly error: ReturnType<typeof raised>;

  constructor(kind: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = kind;
    this.error = raised(kind, message, details);
  }
}

/**
 * Raises a typed error from a function step.
 *
 * @example
 * import { raise } from "segno/workflow";
 * const response = await fetch("https://registry.example.com/");
 * if (!response.ok) raise("registry.refused", `the registry said ${response.status}`, { status: response.status });
 */
export function raise(kind: string, message: string, details?: Readonly<Record<string, unknown>>): never {
  throw new RaisedInStep(kind, message, details);
}

/** At once when the function gives its output at once: a promise for every step would cost as much as the rest of it. */
function outcomeOfCall(run: Run<unknown, unknown, string>) {
  const ended = (output: unknown): Outcome => succeeded(output ?? null);
  const threw = (problem: unknown): Outcome => {
    if (problem instanceof RaisedInStep) return failed(problem.error);
    throw problem;
  };
  return (given: unknown, step: StepAttempt): Promise<Outcome> | Outcome => {
    const { attempt, idempotencyKey, signal, clock, workflow, node } = step;
    const call = { input: given ?? {}, attempt, idempotencyKey, signal, clock, workflow, raise };
    return outcomeOf(`the function of the step ${node}`, node, () => {
      try {
        const output = run(call);
        return isThenable(output) ? Promise.resolve(output).then(ended, threw) : ended(output);
      } catch (problem) {
        return threw(problem);
      }
    });
  };
}
