// A request that is about a workflow that is code: the code is loaded before anything reads the file.
import { existsSync } from "node:fs";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { familyOf, type LoadedWorkflow } from "../../language/loaded.ts";
import { FUNCTION, isCodeFile } from "../own-steps/definition.ts";
import { Refused, refusal } from "../refusals.ts";
import { programName } from "../session/program-name.ts";
import type { Session } from "../session/session.ts";

/** The same session, with the workflow that the file defines; the session itself for any other file. */
export async function withDefinition(session: Session, file: string): Promise<Session> {
  const { extensions, reader = COMMAND_LINE } = session;
  const { loadDefinition } = session.project ?? {};
  if (!isCodeFile(file) || extensions?.defined?.has(file) || !existsSync(file)) return session;
  if (!loadDefinition) {
    const imported = reader.ask({ to: "run code" });
    throw refusal(`${file} is code, and it is executed only in a project that is trusted`, {
      hint:
        imported === null
          ? `Name it in a segno.yaml (workflows: [release.workflow.ts]), and trust the project: ${programName(session.env)} trust.`
          : `Import it, and give what it exports: ${imported}, or createSegno({ workflows: [definition] }) to resume.`,
    });
  }
  const [{ withDefined }, loaded] = [await import("./defined-files.ts"), await loadDefinition(file)];
  return { ...session, extensions: withDefined(extensions, loaded) };
}

/** For a worker: functions come from its own project. If they cannot be loaded, the run is left to other workers. */
export async function withOwnFunctions(session: Session, file: string): Promise<Session> {
  const { extensions } = session;
  const { loadDefinition } = session.project ?? {};
  if (!isCodeFile(file) || !loadDefinition) return session;
  try {
    const [{ withDefined }, { functions }] = [await import("./defined-files.ts"), await loadDefinition(file, true)];
    return { ...session, extensions: withDefined(extensions, { defined: new Map(), functions }) };
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    return { ...session, extensions: { ...extensions, missing: problem.message } };
  }
}

/** Refuses a run whose functions no worker could ever load: they are in this process, and in no file that a project names. */
export function requireLoadable(workflow: LoadedWorkflow): void {
  const { file, definition } = workflow;
  if (isCodeFile(file) && existsSync(file)) return;
  const functions = functionsOf(workflow);
  if (functions.size === 0) return;
  throw refusal(
    `\`${definition.workflow.name}\` cannot be placed for workers: its functions (${[...functions].join(", ")}) are in this process alone`,
    {
      hint: "Workers load functions from a file: write the workflow in a file that ends in .workflow.ts, give defineWorkflow `file: import.meta.url`, and name the file in the segno.yaml of the project that the workers are started in.",
    },
  );
}

function functionsOf(root: LoadedWorkflow): ReadonlySet<string> {
  const steps = familyOf(root).flatMap(({ definition: { agents = [], for_each = [] } }) => [
    ...agents,
    ...for_each.map(({ agent }) => agent),
  ]);
  return new Set(steps.filter(({ type }) => (type as string) === FUNCTION).map(({ name }) => name));
}
