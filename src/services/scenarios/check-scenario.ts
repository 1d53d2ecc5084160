// What is wrong with a scenario file before it is played: its form, and names of steps that no file has.
import { resolve } from "node:path";
import type { Finding, LoadedWorkflow } from "../../language/loaded.ts";
import { filesOf } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { loadScenario, ScenarioError, type ScenarioProblem } from "./file.ts";
import { unknownNames } from "./unknown-names.ts";

/** `load` gives the workflow that the scenario is for; nothing where it cannot be read. */
export function checkScenario(
  file: string,
  session: Session,
  load: (workflow: string) => LoadedWorkflow | undefined,
): readonly Finding[] {
  const finding = ({ message, place, suggestions = [] }: ScenarioProblem): Finding => ({
    rule: "scenario",
    severity: "error",
    message,
    location: place ? { ...place, file: resolve(session.cwd, place.file) } : { file, line: 1, column: 1 },
    suggestions,
  });
  try {
    const scenario = loadScenario(file, session.cwd, filesOf(session));
    if (!filesOf(session).exists(scenario.workflow))
      return [
        finding({
          message: `There is no workflow file \`${scenario.workflow}\`.`,
          place: scenario.place(["workflow"], "value"),
        }),
      ];
    const workflow = load(scenario.workflow);
    return workflow ? unknownNames(scenario, workflow).map(finding) : [];
  } catch (problem) {
    if (!(problem instanceof ScenarioError)) throw problem;
    return problem.problems.map(finding);
  }
}
