// Running one member of a group: its own error routes first, a handler in its place, and how it ended for the group.
import type { Envelope } from "../../errors/index.ts";
import { handlerKey, passKey } from "../../events/key.ts";
import type { Route, Step } from "../../language/schema/index.ts";
import type { Names } from "../context/scope.ts";
import { isStop, type Stop } from "../ends.ts";
import type { Frame } from "../frame.ts";
import { haltedBy } from "../halt.ts";
import { visit } from "../visit/visit.ts";

export interface Branch {
  /** Name of the member, or key of the item. */
  readonly id: string;
  readonly index: number;
  readonly key: string;
  readonly locals: Names;
  /** How often it ran on this visit of the group already. */
  readonly ran: number;
}

export type MemberEnd =
  | { readonly type: "ok"; readonly output: unknown; readonly recovered: boolean; readonly reused: boolean }
  | {
      readonly type: "failed";
      readonly error: Envelope;
      readonly unopted: boolean;
      readonly attempts: number;
      readonly reused: boolean;
    }
  | Stop;

export interface GroupPlace {
  readonly group: string;
  readonly isForEach: boolean;
  readonly routes: readonly Route[];
}

export async function runMember(
  frame: Frame,
  step: Step,
  branch: Branch,
  place: GroupPlace,
  signal: AbortSignal,
): Promise<MemberEnd> {
  const member = { group: place.group, routes: place.routes, ...(place.isForEach ? { item_key: branch.id } : {}) };
  let ran = branch.ran;
  for (let pass = 1; ; pass += 1) {
    // Each pass has a key of its own, and so has its handler: a resume finds what became of which.
    const key = passKey(branch.key, pass);
    const { end, decision } = await visit(frame, frame.calls.workOf(frame, step), {
      key,
      locals: branch.locals,
      ledBy: undefined,
      signal,
      member,
      attemptsBefore: ran,
    });
    if (isStop(end)) return end;
    if (end.type === "terminated") throw new Error("a terminate step cannot be a member of a group");
    if (end.type === "succeeded") return { type: "ok", output: end.output, recovered: false, reused: end.reused };
    const { error } = end;
    if (decision?.action === "halt")
      return haltedBy(frame, step.name, decision.message, error, end.output, branch.locals);
    const target = decision?.action === "go" ? decision.to : decision?.action === "retry" ? decision.via : undefined;
    if (target === undefined)
      return {
        type: "failed",
        error,
        unopted: end.unopted === true,
        attempts: error.attempts,
        reused: end.reused === true || end.leftOpen === true,
      };
    const handled =
      target === "$end"
        ? { type: "ok" as const, output: end.output ?? null, reused: true }
        : await inPlace(frame, target, step, { ...branch, key }, end, member, signal);
    if (handled.type !== "ok") return handled;
    if (decision?.action === "go") {
      frame.engine.durable.note(frame.path, "error_recovered", {
        node: step.name,
        kind: error.kind,
        by: target,
        error,
        key,
      });
      return { type: "ok", output: handled.output, recovered: true, reused: end.reused === true && handled.reused };
    }
    // Retried by way of another step: that one ran, now this one again.
    ran = error.attempts;
  }
}

/** A handler inside the group: its output stands as the member's. Its own success routes are not read, its retries are. */
async function inPlace(
  frame: Frame,
  handler: string,
  member: Step,
  branch: Branch,
  failed: { readonly error: Envelope; readonly output?: unknown },
  place: { readonly group: string; readonly routes: readonly Route[]; readonly item_key?: string },
  signal: AbortSignal,
): Promise<MemberEnd> {
  const node = frame.nodes.get(handler);
  if (node?.kind !== "step") throw new Error(`the handler ${handler} of a member is not a step`);
  const view = failed.output === undefined ? { error: failed.error } : { output: failed.output, error: failed.error };
  const { end, decision } = await visit(frame, frame.calls.workOf(frame, node.step), {
    key: handlerKey(branch.key, handler),
    locals: { ...branch.locals, [member.name]: view },
    ledBy: failed.error,
    signal,
    member: place,
  });
  if (isStop(end)) return end;
  if (end.type === "terminated") throw new Error("a terminate step cannot run inside a group");
  if (end.type === "succeeded") return { type: "ok", output: end.output, recovered: true, reused: end.reused };
  if (decision?.action === "halt")
    return haltedBy(frame, handler, decision.message, end.error, end.output, branch.locals);
  return {
    type: "failed",
    error: end.error,
    unopted: end.unopted === true,
    attempts: end.error.attempts,
    reused: false,
  };
}
