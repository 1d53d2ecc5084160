// What scripts, set, wait, http and mcp steps record beside their attempts.
import { z } from "zod";
import { define as defineAny, digestOfFile, flag, heldBack, member, number, text } from "./fields.ts";

/** Items of a group run at once under one step's name, so each event says whose it is. */
const define = <Shape extends z.ZodRawShape>(description: string, shape: Shape) =>
  defineAny(description, { ...shape, ...member });

/** Of the files that `script_started` names: those that the attempt itself changed. */
const changedFiles = z.array(text).optional();

export const EXECUTOR_EVENTS = {
  script_started: define("A process is being started.", {
    agent_name: text,
    key: text.optional(),
    command: text,
    args: z.array(text),
    working_dir: text,
    /** Files that it runs or names, as they were before: how a resume tells that one has changed. */
    files: z.array(digestOfFile).optional(),
  }),
  /** What a resume needs to end a process group that outlived its driver. */
  script_spawned: define("A process runs.", { agent_name: text, key: text, pid: number, started_at: text }),
  script_output: define("A process wrote something.", {
    node: text,
    key: text.optional(),
    stream: z.enum(["stdout", "stderr"]),
    text,
  }),
  script_completed: define("A process ended, whatever its exit code.", {
    agent_name: text,
    key: text.optional(),
    elapsed: number,
    exit_code: number.nullable(),
    signal: text.nullable(),
    stdin_bytes: number,
    stdout_bytes: number,
    stderr_bytes: number,
    truncated: flag,
    changed_files: changedFiles,
    held_back: heldBack,
  }),
  script_failed: define("A process could not be started, or was ended by a timeout.", {
    agent_name: text,
    key: text.optional(),
    elapsed: number,
    error_type: text,
    message: text,
    changed_files: changedFiles,
    held_back: heldBack,
  }),
  orphan_ended: define("A process group that outlived its driver was ended before its step ran again.", {
    agent_name: text,
    pid: number,
  }),

  set_completed: define("Values were set.", { agent_name: text, output_type: text, output_keys: z.array(text) }),
  set_failed: define("Values could not be set.", { agent_name: text, error_type: text, message: text }),
  wait_started: define("A wait began.", {
    agent_name: text,
    key: text.optional(),
    duration_seconds: number,
    remaining_seconds: number.optional(),
    reason: text.optional(),
  }),
  wait_completed: define("A wait ended, or a person skipped the rest of it.", {
    agent_name: text,
    waited_seconds: number,
    requested_seconds: number,
    skipped: flag.optional(),
  }),
  wait_failed: define("A wait could not be made.", { agent_name: text, error_type: text, message: text }),
  http_started: define("A request is being sent.", { node: text, method: text, target: text }),
  http_completed: define("A request was answered.", { node: text, target: text, status: number, elapsed: number }),
  http_failed: define("A request failed.", {
    node: text,
    target: text,
    status: number.nullable(),
    elapsed: number,
    message: text,
  }),
  mcp_started: define("A tool is being called.", { node: text, target: text }),
  mcp_completed: define("A tool answered.", { node: text, target: text, elapsed: number }),
  mcp_failed: define("A tool call failed.", { node: text, target: text, elapsed: number, message: text }),
} as const;
