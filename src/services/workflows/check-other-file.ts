// What there is to say of a scenario, an eval or a project: `segno validate` lists it, and editors show it.

import { resolve } from "node:path";
import { checkEval } from "../../features/evals/check-eval.ts";
import { loadScenario, ScenarioError, type ScenarioProblem } from "../../features/scenarios/file.ts";
import { unknownNames } from "../../features/scenarios/workflow-of-scenario.ts";
import { checkTriggers } from "../../features/triggers/check-triggers.ts";
import type { Finding } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { knownFor } from "../project/people-of-run.ts";
import { readProject } from "../project/read-project.ts";
import { filesOf } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { otherKind } from "./validate.ts";

/** Nothing for what may be a workflow. `brokenPlugin`: why one could not be loaded. */
export function checkOtherFile(file: string, session: Session, brokenPlugin?: string): readonly Finding[] | undefined {
  const kind = otherKind(file);
  switch (kind) {
    case "project":
      return checkProject(file, session, brokenPlugin);
    case "eval":
      return checkEval(file, session).findings;
    case "scenario":
      return checkScenario(file, session);
    case undefined:
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** `segno validate segno.yaml`. `brokenPlugin`: why one could not be loaded; workflows are then not judged. */
export function checkProject(
  file: string,
  where: Pick<Session, "env" | "extensions" | "readsFrom">,
  brokenPlugin?: string,
): readonly Finding[] {
  const { project, findings } = readProject(file, where.env, where.readsFrom?.overlay);
  if (!project || project.lacksPlugin) return findings;
  if (brokenPlugin === undefined) return [...findings, ...checkTriggers(project, where)];
  const named = project.plugins.find(({ name }) => brokenPlugin.includes(` ${name} `)) ?? project.plugins[0];
  const location = named?.place ?? { file, line: 1, column: 1 };
  const message = `${brokenPlugin.slice(0, 1).toUpperCase()}${brokenPlugin.slice(1)}.`;
  return [...findings, { rule: "broken-plugin", severity: "error", message, location, suggestions: [] }];
}

/** Its form, and names of steps that no file has. */
function checkScenario(file: string, session: Session): readonly Finding[] {
  const files = filesOf(session);
  const finding = ({ message, place, suggestions = [] }: ScenarioProblem): Finding => ({
    rule: "scenario",
    severity: "error",
    message,
    location: place ? { ...place, file: resolve(session.cwd, place.file) } : { file, line: 1, column: 1 },
    suggestions,
  });
  try {
    const scenario = loadScenario(file, session.cwd, files);
    const { workflow: path } = scenario;
    const place = scenario.place(["workflow"], "value");
    if (!files.exists(path)) return [finding({ message: `There is no workflow file \`${path}\`.`, place })];
    const { workflow } = validateWorkflow(path, files, { ...knownFor(path, session), asChild: true });
    return workflow ? unknownNames(scenario, workflow).map(finding) : [];
  } catch (problem) {
    if (!(problem instanceof ScenarioError)) throw problem;
    return problem.problems.map(finding);
  }
}
