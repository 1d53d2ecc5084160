// What there is to know of a workflow before it is run: its inputs, its steps and where they lead, and the errors that it can
// raise: who takes each, and which leave the file (`segno errors`).
import { resolve } from "node:path";
import { isEngineKind, isSelectorWord, matches, traitsOf } from "../../base/errors/index.ts";
import { COMMAND_LINE, type Head, head } from "../../base/results/index.ts";
import { type ErrorFlow, errorFlow, type UnhandledKind } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";
import type { FileDialect, Route } from "../../language/schema/index.ts";
import { orRefusedAtOnce, refusal } from "../refusals.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { validWorkflow } from "./valid-workflow.ts";

export interface DescribedInput {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description?: string;
  readonly secret?: true;
}

export interface DescribedStep {
  readonly node_id: string;
  readonly type: string;
  readonly description?: string;
  readonly line: number;
  /** Where it leads, in the order in which routes are read. */
  readonly routes: readonly Readonly<Record<string, unknown>>[];
  /** Of groups. */
  readonly members?: readonly string[];
  /** Of sub-workflows: the file. */
  readonly workflow?: string;
}

export interface DescribeAnswer extends Head {
  readonly file: string;
  readonly workflow: string | null;
  /** By whose rules the file is read: Conductor's (`agents`) or Segno's (`steps`). */
  readonly dialect: FileDialect | null;
  readonly description: string | null;
  readonly entry_point: string | null;
  /** null: the file declares none, and takes any. */
  readonly inputs: readonly DescribedInput[] | null;
  readonly steps: readonly DescribedStep[];
  readonly output: readonly string[];
  readonly raises: ErrorFlow["steps"];
  readonly unhandled: ErrorFlow["unhandled"];
}

export function describeWorkflow(session: Session, request: { readonly file: string }): DescribeAnswer {
  const { file } = request;
  const path = resolve(session.cwd, file);
  const about = {
    file: shownPath(path, session.cwd),
    workflow: null,
    dialect: null,
    description: null,
    entry_point: null,
  };
  const nothing = { inputs: [], steps: [], output: [], raises: [], unhandled: [] };
  return orRefusedAtOnce(session, { ...about, ...nothing }, () =>
    described(validWorkflow(path, session, { asChild: true }), about.file, session),
  );
}

function described(workflow: LoadedWorkflow, file: string, { cwd }: Session): DescribeAnswer {
  const { name, description = null, entry_point } = workflow.definition.workflow;
  const { steps: raises, unhandled } = shownErrorFlow(workflow, cwd);
  const [inputs, steps, output] = [inputsOf(workflow), stepsOf(workflow), Object.keys(workflow.definition.output)];
  return {
    ...head(0),
    file,
    workflow: name,
    dialect: workflow.dialect,
    description,
    entry_point,
    inputs,
    steps,
    output,
    raises,
    unhandled,
  };
}

function inputsOf({ definition }: LoadedWorkflow): readonly DescribedInput[] | null {
  const { input } = definition.workflow;
  if (!input) return null;
  return Object.entries(input).map(([name, { type, required, default: standard, description, secret }]) => ({
    name,
    type,
    required: required && standard === undefined,
    // A default of a secret input is as secret as its value.
    default: secret ? undefined : standard,
    description,
    secret: secret || undefined,
  }));
}

function stepsOf(workflow: LoadedWorkflow): readonly DescribedStep[] {
  const { agents, parallel, for_each } = workflow.definition;
  const place = (name: string) => ({ node_id: name, line: workflow.positions.at(workflow.pathOf(name)).line });
  return [
    ...agents.map((step) => ({
      ...place(step.name),
      type: step.type,
      description: step.description,
      routes: "routes" in step ? step.routes.map(routeOf) : [],
      workflow: step.type === "workflow" ? step.workflow : undefined,
    })),
    ...parallel.map(({ name, routes, agents: members }) => ({
      ...place(name),
      type: "parallel",
      routes: routes.map(routeOf),
      members,
    })),
    ...for_each.map(({ name, routes, agent }) => ({
      ...place(name),
      type: "for_each",
      routes: routes.map(routeOf),
      members: [agent.name],
    })),
  ];
}

/** Only what the author said. */
const routeOf = ({ on_error, when, to, retry, halt, propagate }: Route): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries({ on_error, when, to, retry, halt, propagate }).filter(([, value]) => value !== undefined),
  );

export interface ErrorsAnswer extends Head, Pick<ErrorFlow, "steps"> {
  readonly file: string;
  readonly workflow: string | null;
  readonly dialect: FileDialect | null;
  readonly unhandled: readonly LeavingKind[];
}

/** `allowed`: the request says that it may leave the file. */
export type LeavingKind = UnhandledKind & { readonly allowed?: true };

/** Whether `failOnUnhandled` fails because of it. */
export const isFailing = ({ kind, allowed }: LeavingKind): boolean => !allowed && isToBeExpected(kind);

/** The author's kinds, and what the session may do. Mistakes in the file itself are no reason to fail a build. */
export function isToBeExpected(kind: string): boolean {
  if (kind === "*") return false;
  const { owner } = traitsOf(kind);
  return !isEngineKind(kind) || owner === "environment" || owner === "provider";
}

/** `child.yaml:4`: the step that raises it, in whichever file that is. */
export function whereRaised({ raised_in, location }: UnhandledKind): string {
  const { file, line } = raised_in ?? location;
  return `${file}:${line}`;
}

/** A workflow's error flow, with the called files' paths as people see them. */
export function shownErrorFlow(workflow: LoadedWorkflow, cwd: string): ErrorFlow {
  const shown = (place: Location): Location => ({ ...place, file: shownPath(place.file, cwd) });
  const withShownOrigin = <Kind extends { readonly raised_in?: Location }>(one: Kind): Kind =>
    one.raised_in ? { ...one, raised_in: shown(one.raised_in) } : one;
  const { steps, unhandled } = errorFlow(workflow);
  return {
    steps: steps.map((step) => ({ ...step, raises: step.raises.map(withShownOrigin) })),
    unhandled: unhandled.map((one) => ({ ...withShownOrigin(one), location: shown(one.location) })),
  };
}

export interface ErrorsRequest {
  readonly file: string;
  /** An error to be expected that can leave the file is a failure, for CI. */
  readonly failOnUnhandled?: boolean;
  /** Kinds that may leave the file all the same, as in `on_error`: `git.drift`, `internal.*`. */
  readonly allow?: readonly string[];
}

function requireSelectors(allow: readonly string[], { reader = COMMAND_LINE }: Session): void {
  const wrong = allow.find((word) => !isSelectorWord(word));
  if (wrong !== undefined)
    throw refusal(
      `${reader.give({ what: "option", name: "allow" })} takes kinds and patterns as in \`on_error\`, such as git.drift or internal.*, and not ${JSON.stringify(wrong)}`,
    );
}

export function listErrors(session: Session, request: ErrorsRequest): ErrorsAnswer {
  const { file, failOnUnhandled, allow = [] } = request;
  const path = resolve(session.cwd, file);
  const shown = shownPath(path, session.cwd);
  return orRefusedAtOnce(session, { file: shown, workflow: null, dialect: null, steps: [], unhandled: [] }, () => {
    const workflow = validWorkflow(path, session, { asChild: true });
    requireSelectors(allow, session);
    const { steps, unhandled: all } = shownErrorFlow(workflow, session.cwd);
    const unhandled = all.map((one) => (matches(allow, one.kind) ? { ...one, allowed: true as const } : one));
    const expected = failOnUnhandled ? unhandled.filter(isFailing) : [];
    const { definition, dialect } = workflow;
    const answer = { file: shown, workflow: definition.workflow.name, dialect, steps, unhandled };
    if (expected.length === 0) return { ...head(0), ...answer };
    const each = expected.map((one) => `${one.kind} of ${one.node_id} (${whereRaised(one)})`).join(", ");
    const count = expected.length === 1 ? "an error" : `${expected.length} errors`;
    const error = `${count} to be expected can leave ${shown}: ${each}`;
    return { ...head(1), error, ...answer };
  });
}
