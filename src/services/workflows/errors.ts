// `segno errors`: which errors a workflow can raise, who takes each, and which leave the file.
import { resolve } from "node:path";
import { isEngineKind, traitsOf } from "../../errors/index.ts";
import { type ErrorFlow, errorFlow, type UnhandledKind } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";
import { type Head, head } from "../../results/index.ts";
import { orRefusedAtOnce } from "../refusals.ts";
import { withoutSecretsOf } from "../secrets/environment-redactor.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";
import { validWorkflow } from "./valid-workflow.ts";

export interface ErrorsAnswer extends Head, ErrorFlow {
  readonly file: string;
  readonly workflow: string | null;
}

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
}

export function listErrors(session: Session, request: ErrorsRequest): ErrorsAnswer {
  const { file, failOnUnhandled } = request;
  const path = resolve(session.cwd, file);
  const shown = shownPath(path, session.cwd);
  return orRefusedAtOnce(session, { file: shown, workflow: null, steps: [], unhandled: [] }, () => {
    const workflow = validWorkflow(path, session, { asChild: true });
    const flow = shownErrorFlow(workflow, session.cwd);
    return withoutSecretsOf(session.env, answerOf(workflow, flow, shown, failOnUnhandled ?? false));
  });
}

function answerOf(workflow: LoadedWorkflow, flow: ErrorFlow, shown: string, failOnUnhandled: boolean): ErrorsAnswer {
  const expected = failOnUnhandled ? flow.unhandled.filter(({ kind }) => isToBeExpected(kind)) : [];
  const failed = expected.length > 0;
  const each = expected.map((one) => `${one.kind} of ${one.node_id} (${whereRaised(one)})`).join(", ");
  const message = `${expected.length === 1 ? "an error" : `${expected.length} errors`} to be expected can leave ${shown}: ${each}`;
  return {
    ...head(failed ? 1 : 0),
    ...(failed ? { error: message } : {}),
    file: shown,
    workflow: workflow.definition.workflow.name,
    ...flow,
  };
}
