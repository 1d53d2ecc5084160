// What templates see of a group that ended.
import type { Envelope } from "../../errors/index.ts";
import type { Group } from "../frame.ts";
import type { Branch, MemberEnd } from "./members.ts";

export type GroupFields = Readonly<Record<string, unknown>>;

/** Every item keeps its place: the output of one that failed is null, never a shift. */
export function groupFields(
  of: Group,
  branches: readonly Branch[],
  done: ReadonlyMap<string, MemberEnd & { type: "ok" }>,
  failures: readonly { readonly branch: Branch; readonly error: Envelope }[],
): GroupFields {
  const errors = Object.fromEntries(failures.map(({ branch, error }) => [branch.id, error]));
  const counts = { count: branches.length, failed: failures.length, succeeded: done.size };
  if (of.kind === "parallel") {
    const outputs = branches.flatMap(({ id }) => (done.has(id) ? [[id, done.get(id)?.output] as const] : []));
    return { type: "parallel", outputs: Object.fromEntries(outputs), errors, ...counts };
  }
  const outputs = branches.map(({ id }) => [id, done.get(id)?.output ?? null] as const);
  return {
    type: "for_each",
    outputs: of.group.key_by ? Object.fromEntries(outputs) : outputs.map(([, output]) => output),
    errors,
    ...counts,
  };
}
