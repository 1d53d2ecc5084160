// `halt:` ends the whole run at any depth; no parent is asked.
import { type Envelope, envelope, raised } from "../errors/index.ts";
import { renderText } from "../steps/values.ts";
import { layered, type Names } from "./context/scope.ts";
import { templateFailure } from "./context/template-failure.ts";
import type { Stop } from "./ends.ts";
import { remarked, type WorkflowFrame } from "./frame.ts";

export function haltedBy(
  frame: WorkflowFrame,
  node: string,
  message: string,
  cause: Envelope | undefined,
  output: unknown,
  locals: Names = {},
): Stop & { readonly type: "halted" } {
  const scope = layered(
    { ...(cause ? { error: cause } : {}), ...(output === undefined ? {} : { output }) },
    locals,
    frame.context.everything,
  );
  let text: string;
  try {
    text = remarked(frame, node, () => renderText(message, scope)) || "the run was halted";
  } catch (problem) {
    // The author wanted the run to end here; a broken message does not change that.
    text = `${message} (this message could not be rendered: ${templateFailure(problem).message})`;
  }
  const raisedAt = { workflow: frame.name, node, attempt: cause?.attempts ?? 1 };
  return {
    type: "halted",
    error: envelope(raised("halt.intentional", text, {}, cause), raisedAt),
    node,
    path: frame.path,
  };
}
