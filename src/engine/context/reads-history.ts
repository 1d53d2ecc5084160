// Whether any template of a workflow may read the history of its steps: it is copied only for those who might.
import type { LoadedWorkflow } from "../../language/loaded.ts";

/** A glance at the files' text: that it says yes too often costs little. */
const HISTORY = /history|context(?!\s*[._]\s*iteration)/;
const answers = new WeakMap<LoadedWorkflow, boolean>();

export function mayReadHistory(workflow: LoadedWorkflow): boolean {
  let answer = answers.get(workflow);
  if (answer === undefined) {
    answer = [...workflow.sources.values()].some((text) => HISTORY.test(text));
    answers.set(workflow, answer);
  }
  return answer;
}
