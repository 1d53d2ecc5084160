// Running one member of a group: its own error routes first, a handler in its stead, and how it ended for the group.
import type { Envelope } from "../../base/errors/index.ts";
import { handlerKey, passKey } from "../../base/events/key.ts";
import { raisedView } from "../context/context.ts";
import { haltedBy } from "../context/endings.ts";
import { isStop, type RaisedEnd } from "../ends.ts";
import type { Fiber } from "../fiber.ts";
import type { Visit, WorkflowFrame } from "../frame.ts";
import { noteFor } from "../visit/attempt-under-way.ts";
import { runVisit } from "../visit/visit.ts";
import type { Group, Member } from "../visit/work.ts";
import type { Branch } from "./branches.ts";
import type { MemberEnd, MemberFailed } from "./group-output.ts";

/** `ledBy` is the error that led to the group: what its members say may read it, as what the group says may. */
export async function runMember(
  frame: WorkflowFrame,
  { kind, group }: Group,
  branch: Branch,
  ledBy: Envelope | undefined,
  signal: AbortSignal,
  fiber: Fiber | undefined,
): Promise<MemberEnd> {
  const { step, locals } = branch;
  const itemKey = kind === "for_each" ? { item_key: branch.id } : {};
  const member: Member = { group: group.name, routes: group.routes, ...itemKey, isAnew: branch.isAnew };
  let attemptsBefore = branch.ran;
  for (let pass = 1; ; pass += 1) {
    // Each pass has a key of its own, and so has its handler: a resume finds what became of which.
    const key = passKey(branch.key, pass);
    const { end, decision } = await runVisit({
      frame,
      work: frame.calls.workOf(frame, step),
      key,
      locals,
      ledBy,
      signal,
      fiber,
      member,
      attemptsBefore,
    });
    if (isStop(end)) return end;
    if (end.type === "terminated") throw new Error("a terminate step cannot be a member of a group");
    const { changes } = end;
    if (end.type === "succeeded")
      return { type: "ok", output: end.output, changes, recovered: false, reused: end.reused };
    const { error } = end;
    if (decision?.action === "halt") return haltedBy(frame, step.name, decision.halt, error, end.output, locals);
    const target = decision?.action === "go" ? decision.to : decision?.action === "retry" ? decision.via : undefined;
    if (target === undefined) return memberFailed(end);
    const handled =
      target === "$end"
        ? { type: "ok" as const, output: end.output ?? null, changes, reused: true }
        : await runHandler(frame, target, { ...branch, key }, end, { member, signal, fiber });
    if (handled.type !== "ok") return handled;
    if (decision?.action === "go") {
      noteFor({ frame, member }, "error_recovered", { node: step.name, kind: error.kind, by: target, error, key });
      return {
        type: "ok",
        output: handled.output,
        changes: handled.changes ?? changes,
        recovered: true,
        reused: end.reused === true && handled.reused,
      };
    }
    // Retried by way of another step: that one ran, now this one again.
    attemptsBefore = error.attempts;
  }
}

/** A handler inside the group: its output becomes the member's. Its own success routes are not read, its retries are. */
async function runHandler(
  frame: WorkflowFrame,
  handler: string,
  branch: Branch,
  { error, output, changes }: RaisedEnd,
  { member, signal, fiber }: Pick<Visit, "signal" | "fiber"> & { readonly member: Member },
): Promise<MemberEnd> {
  const node = frame.nodes.get(handler);
  if (node?.kind !== "step") throw new Error(`the handler ${handler} of a member is not a step`);
  const { end, decision } = await runVisit({
    frame,
    work: frame.calls.workOf(frame, node.step),
    key: handlerKey(branch.key, handler),
    locals: { ...branch.locals, [branch.step.name]: raisedView(error, output, changes) },
    ledBy: error,
    signal,
    fiber,
    member,
    attemptsBefore: 0,
  });
  if (isStop(end)) return end;
  if (end.type === "terminated") throw new Error("a terminate step cannot run inside a group");
  if (end.type === "succeeded")
    return { type: "ok", output: end.output, changes: end.changes, recovered: true, reused: end.reused };
  if (decision?.action === "halt") return haltedBy(frame, handler, decision.halt, end.error, end.output, branch.locals);
  return { ...memberFailed(end), reused: false, leftOpen: false };
}

const memberFailed = ({ error, changes, unopted, reused, leftOpen }: RaisedEnd): MemberFailed => ({
  type: "failed",
  error,
  changes,
  unopted: unopted === true,
  attempts: error.attempts,
  reused: reused === true || leftOpen === true,
  leftOpen: leftOpen === true,
});
