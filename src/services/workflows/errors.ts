// `segno errors`: which errors a workflow can raise, who takes each, and which leave the file.
import { resolve } from "node:path";
import { isEngineKind, traitsOf } from "../../errors/index.ts";
import type { ErrorFlow, UnhandledKind } from "../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { type Head, head } from "../../results/index.ts";
import { orRefusedAtOnce } from "../refusals.ts";
import { withoutSecretsOf } from "../secrets/environment-redactor.ts";
import type { Session } from "../session/session.ts";
import { shownErrorFlow, shownPath } from "../session/shown-path.ts";
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
