// Claude's own tools work outside of the sandbox, and its rules for them are patterns in which some names of folders cannot
// be written. So each call is looked at here as well, by the real paths of the files that it is about.
import type { CodingTask } from "../agent.ts";
import { isReadProtected, isWriteProtected } from "../guarded.ts";

const READING = ["Read", "Grep", "Glob", "LS"];
const WRITING = ["Edit", "MultiEdit", "Write", "NotebookEdit"];
const NAMES_OF_PATHS = ["file_path", "notebook_path", "path"];

interface ToolUse {
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
}

type Guards = Readonly<Record<string, readonly unknown[]>>;

/** For the SDK's `hooks`. */
export function toolGuards(task: CodingTask): Guards {
  if (task.permissions.sandbox === "full") return {};
  const guard = async ({ tool_name = "", tool_input = {} }: ToolUse): Promise<object> => {
    const paths = NAMES_OF_PATHS.map((name) => tool_input[name]).filter((path) => typeof path === "string");
    const isDenied = paths.some(
      (path) => isReadProtected(path, task) || (WRITING.includes(tool_name) && isWriteProtected(path, task)),
    );
    if (!isDenied) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "This file is guarded from you. Go on without it.",
      },
    };
  };
  return { PreToolUse: [{ matcher: [...READING, ...WRITING].join("|"), hooks: [guard] }] };
}
