// What there is to say of a scenario, an eval or a project: `segno validate` lists it, and editors show it.
import type { Finding, LoadedWorkflow } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { knownFor } from "../access/people-of-run.ts";
import { checkEval } from "../eval/check-eval.ts";
import { checkProject } from "../project/check-project.ts";
import { checkScenario } from "../scenarios/check-scenario.ts";
import { filesOf } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { otherKind } from "./other-files.ts";

/** Nothing for what may be a workflow. `brokenPlugin`: why one could not be loaded. */
export function checkOtherFile(file: string, session: Session, brokenPlugin?: string): readonly Finding[] | undefined {
  const kind = otherKind(file);
  switch (kind) {
    case "project":
      return checkProject(file, session, brokenPlugin);
    case "eval":
      return checkEval(file, session).findings;
    case "scenario":
      return checkScenario(file, session, (workflow) => loaded(workflow, session));
    case undefined:
      return undefined;
    default:
      return kind satisfies never;
  }
}

const loaded = (file: string, session: Session): LoadedWorkflow | undefined =>
  validateWorkflow(file, filesOf(session), { ...knownFor(file, session), asChild: true }).workflow;
