// How much of a tool's answer is kept: the rest goes to a file. The same for tools that agents call and for `mcp` steps.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isMapping } from "../base/errors/mapping.ts";
import type { Caller } from "./caller.ts";

export interface ToolOutputLimits {
  readonly enabled: boolean;
  readonly maxChars: number;
  readonly spillToFile: boolean;
  readonly spillDir: string | null;
}

/** `runtime.tool_output`. */
export function toolOutputLimits(value: unknown): ToolOutputLimits {
  const said = isMapping(value) ? value : {};
  return {
    enabled: said.enabled !== false,
    maxChars: typeof said.max_chars === "number" && Number.isFinite(said.max_chars) ? said.max_chars : 50_000,
    spillToFile: said.spill_to_file !== false,
    spillDir: typeof said.spill_dir === "string" && said.spill_dir !== "" ? said.spill_dir : null,
  };
}

let spills = 0;

/** The file with all of the text; null when it cannot be written: a full disk must not cost the answer. */
export async function spillTo(
  text: string,
  tool: string,
  limits: ToolOutputLimits,
  attempt: Caller,
): Promise<string | null> {
  const dir = limits.spillDir ? resolve(attempt.workflow.dir, limits.spillDir) : attempt.spillDir;
  spills += 1;
  // A visit's key has the keys of items in it, which may be secrets: its digest tells two visits apart without them.
  const visit = createHash("sha256").update(attempt.key).digest("hex").slice(0, 8);
  const name = `${attempt.node}-${visit}-${tool}-${attempt.attempt}-${spills}`.replace(/[^a-zA-Z0-9_.-]/g, "_");
  const path = resolve(dir, `${name}.txt`);
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
    return path;
  } catch {
    return null;
  }
}
