// Code lenses over steps and files: unhandled errors, scenarios that take a step, and commands that the client runs.
import type { CodeLens } from "vscode-languageserver/node";
import { gatherFacts } from "../language/analysis/index.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { type Played, playScenarios } from "../services/desk/played.ts";
import { editorPosition } from "../services/desk/text.ts";
import { isToBeExpected } from "../services/workflows/errors.ts";
import type { Desk } from "./desk.ts";
import { START } from "./navigate.ts";

/** Commands that the client runs: each is given the address of the file. */
export const CLIENT_COMMANDS = ["segno.run", "segno.test", "segno.graph"] as const;

/** What scenarios took, for the newest text of each workflow and its scenarios. */
export class PlayedScenarios {
  readonly #played = new Map<string, { readonly mark: string; readonly played: Promise<Played | undefined> }>();

  of(desk: Desk, workflow: LoadedWorkflow): Promise<Played | undefined> {
    const files = desk
      .testsOf(workflow.file)
      .filter(({ kind }) => kind === "scenario")
      .map(({ path }) => path);
    const mark = JSON.stringify([...workflow.sources.values(), ...files.map((file) => desk.text(file).text)]);
    const known = this.#played.get(workflow.file);
    if (known?.mark === mark) return known.played;
    const played = playScenarios(workflow, files, desk.session, desk.open).catch(() => undefined);
    this.#played.set(workflow.file, { mark, played });
    return played;
  }

  forget(file: string): void {
    this.#played.delete(file);
  }
}

export async function codeLenses(desk: Desk, path: string, scenarios: PlayedScenarios): Promise<readonly CodeLens[]> {
  const checked = desk.check(path);
  if (checked?.kind !== "workflow") return [];
  const uri = desk.uriOf(path);
  const lenses: CodeLens[] = ["run", "test", "graph"].map((title, index) => ({
    range: START,
    command: { title, command: CLIENT_COMMANDS[index] ?? "", arguments: [uri] },
  }));
  const { workflow } = checked;
  if (!workflow) return lenses;
  const { errors } = gatherFacts(workflow);
  const isRight = !checked.findings.some(({ severity }) => severity === "error");
  const played = isRight ? await scenarios.of(desk, workflow) : undefined;
  for (const { node_id, raises } of errors.steps) {
    const { file, line, column } = workflow.positions.at([...workflow.pathOf(node_id), "name"]);
    if (file !== path) continue;
    const at = editorPosition({ line, column });
    const range = { start: at, end: at };
    const kinds = raises.filter(({ kind }) => kind !== "*" && isToBeExpected(kind)).length;
    const open = new Set(
      errors.unhandled.filter((one) => one.node_id === node_id && isToBeExpected(one.kind)).map(({ kind }) => kind),
    ).size;
    if (kinds > 0)
      lenses.push({
        range,
        command: { title: `${kinds} ${kinds === 1 ? "kind" : "kinds"}, ${open} unhandled`, command: "" },
      });
    if (played && played.scenarios > 0)
      lenses.push({
        range,
        command: { title: `taken by ${played.taken.get(node_id) ?? 0} of ${played.scenarios} scenarios`, command: "" },
      });
  }
  return lenses;
}
