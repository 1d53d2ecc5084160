// How an agent talks with a person while it runs: each turn is a question of its own, so that anybody may answer it.
import { dialogKey } from "../../events/key.ts";
import type { Attempt } from "../../steps/executor.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { WorkAttempt } from "../visit/work.ts";
import type { DialogQuestion } from "./ask.ts";

export function dialogWith(
  frame: WorkflowFrame,
  node: string,
  attempt: Pick<WorkAttempt, "key" | "signal">,
): Attempt["ask"] {
  const { durable, canAsk, skipGates } = frame.engine;
  if (!canAsk || skipGates) return undefined;
  let turn = 0;
  return async (prompt) => {
    turn += 1;
    const question: DialogQuestion = { kind: "dialog", node, key: dialogKey(attempt.key, turn), prompt };
    const answer = await durable.ask(frame.path, question, attempt.signal);
    return answer?.kind === "dialog" ? answer.text : null;
  };
}
