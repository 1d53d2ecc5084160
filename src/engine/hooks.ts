// Lifecycle hooks: a text that is recorded, or a command that is run. They have nothing to do with `on_error` routes;
// a hook that fails is a warning. A command counts as work, as a step does: a worker that is leaving lets it end.
import { DriveStopped } from "../base/errors/leave-process.ts";
import { hookIdempotencyKey } from "../base/events/idempotency-key.ts";
import { hookKey } from "../base/events/key.ts";
import type { WorkflowSection } from "../language/schema/index.ts";
import type { Attempt } from "../steps/step-type.ts";
import { renderText, renderTexts } from "../steps/values.ts";
import { layered, type Names } from "./context/scope.ts";
import type { FrameEnd } from "./ends.ts";
import { remarked, type WorkflowFrame } from "./frame.ts";
import { attemptBeside } from "./visit/attempt-under-way.ts";

type Hook = WorkflowSection["hooks"]["on_start"];
export type HookName = "on_start" | "on_complete" | "on_error";

/** `on_complete` or `on_error`; a workflow that goes on later has ended in neither way. */
export async function runEndHook(frame: WorkflowFrame, end: FrameEnd, signal: AbortSignal): Promise<void> {
  const { on_complete, on_error } = frame.workflow.definition.workflow.hooks;
  if (end.type === "completed" || (end.type === "terminated" && end.status === "success"))
    await runHook(frame, "on_complete", on_complete, { result: end.output }, signal);
  else if (end.type !== "paused" && end.type !== "cancelled")
    await runHook(frame, "on_error", on_error, { error: errorOf(end) }, signal);
}

/** What `hooks.on_error` sees as `error`; endings that are no envelope have the same fields as far as they go. */
function errorOf(end: FrameEnd): unknown {
  switch (end.type) {
    case "raised":
    case "halted":
      return { ...end.error, type: "UnhandledWorkflowError" };
    case "limit":
      return { kind: null, type: end.errorType, message: end.message, details: {} };
    case "terminated":
      return { kind: null, type: "WorkflowTerminated", message: end.reason, details: {} };
    default:
      return null;
  }
}

export async function runHook(
  frame: WorkflowFrame,
  name: HookName,
  hook: Hook,
  locals: Names,
  signal: AbortSignal,
): Promise<void> {
  const { durable } = frame.engine;
  const key = hookKey(frame.prefix, name);
  // A workflow that a resume enters again has begun only once, and completed only once unless some of it ran again.
  const isSameEnd = name !== "on_complete" || frame.allReused;
  if (hook === undefined || (frame.reuse && isSameEnd && durable.recall.hookRan(key))) return;
  const scope = layered(locals, frame.context.everything);
  try {
    if (typeof hook === "string") {
      const text = remarked(frame, null, () => renderText(hook, scope));
      durable.note(frame.path, "hook_ran", { hook: name, key, ok: true, text });
      return;
    }
    const { command, args, env } = remarked(frame, null, () => ({
      command: renderText(hook.command, scope),
      args: hook.args.map((arg) => renderText(arg, scope)),
      env: { ...frame.engine.world.env, ...renderTexts(hook.env, scope) },
    }));
    const { value: result } = await durable.step(() =>
      frame.engine.world.run({ command, args, cwd: frame.place.rootDir, env }, hookAttempt(frame, name, signal)),
    );
    if (!result.started) durable.note(frame.path, "hook_ran", { hook: name, key, ok: false, message: result.message });
    else {
      const ok = result.exitCode === 0;
      durable.note(frame.path, "hook_ran", {
        hook: name,
        key,
        ok,
        text: result.stdout.text.slice(0, 2000),
        // One that a signal ended has none.
        exit_code: result.exitCode ?? undefined,
        message: ok
          ? undefined
          : result.stderr.text.slice(-2000) || `it exited with ${result.exitCode ?? result.signal}`,
      });
    }
  } catch (problem) {
    if (problem instanceof DriveStopped) throw problem;
    durable.note(frame.path, "hook_ran", {
      hook: name,
      key,
      ok: false,
      message: problem instanceof Error ? problem.message : String(problem),
    });
  }
}

const hookAttempt = (frame: WorkflowFrame, name: HookName, signal: AbortSignal): Attempt => {
  const key = hookKey(frame.prefix, name);
  const idempotencyKey = hookIdempotencyKey(frame.engine.durable.runId, key);
  return attemptBeside(frame, { node: `hooks.${name}`, key, idempotencyKey, signal });
};
