// A gate that waits holds whoever may not answer it: going on with a file in which it is gone, or asks something else, would
// pass it without an answer.
import { resolve } from "node:path";
import type { Question } from "../engine/people/ask.ts";
import { loadWorkflow } from "../language/load.ts";
import type { LoadedWorkflow } from "../language/loaded.ts";
import { PinnedDefinition } from "./explain/definition.ts";
import { knownTo } from "./extensions.ts";
import { filesOfRun } from "./files.ts";
import { stateOf } from "./read-run.ts";
import { refusal } from "./refusals.ts";
import type { Surroundings } from "./request.ts";
import { withReader } from "./store.ts";

export interface GoingOnPastGates extends Surroundings {
  readonly run: string;
  /** The edited file, when the run is to go on with another than it was driven with. */
  readonly file?: string;
}

/** Refuses when a gate that the run waits at is not as it was when it asked. */
export const requireGatesAsTheyWere = (request: GoingOnPastGates): Promise<void> =>
  withReader(request, async (reader, store) => {
    const { runId } = reader;
    const state = await stateOf(reader);
    const asked = (await store.state.gates.pending(runId)).map(({ question }) => (question as Question).node);
    const nodes = new Set([...asked, ...[...state.gates.values()].map(({ node }) => node)]);
    if (nodes.size === 0) return;
    const { file } = state.root;
    const pinned = await reader.pinned();
    const before = new PinnedDefinition(file, pinned, request).root;
    const edited = request.file === undefined ? file : resolve(request.cwd, request.file);
    const now = loadWorkflow(edited, filesOfRun(pinned, request.env), knownTo(request.extensions)).workflow;
    // A file that does not load is refused by the resume itself.
    const changed = now && [...nodes].find((node) => !hasSame(stepsNamed(node, before), stepsNamed(node, now)));
    if (changed !== undefined)
      throw refusal(
        `the run ${runId} waits at the gate ${changed}, and ${changed} is not in the file as it was when it asked: going on would pass the gate without an answer`,
        {
          runId,
          errorType: "GateChanged",
          hint: `Put ${changed} back as it was and let a person answer it, or let a person resume the run.`,
        },
      );
  });

const hasSame = (before: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...before].every((text) => now.has(text));

/** Each step of that name, in the file and in all that it calls, as it reads. */
function stepsNamed(name: string, root: LoadedWorkflow | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<LoadedWorkflow>();
  const visit = (workflow: LoadedWorkflow): void => {
    if (seen.has(workflow)) return;
    seen.add(workflow);
    const { agents, for_each } = workflow.definition;
    for (const step of [...agents, ...for_each.map((group) => group.agent)])
      if (step.name === name) found.add(JSON.stringify(step));
    for (const child of workflow.children.values()) visit(child);
  };
  if (root) visit(root);
  return found;
}
