// A tool's answer as text for a model, cut to size. The whole answer is kept in a file; the model gets its path.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import type { Caller } from "../../steps/caller.ts";
import type { McpResult } from "../../steps/world.ts";
import type { ToolOutputLimits } from "../options.ts";

/** The text of a list of content blocks; other blocks as a word about them, since models are sent text here. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : JSON.stringify(content ?? null);
  return content
    .map((block) => {
      if (!isMapping(block)) return wordOf(block);
      if (typeof block.text === "string") return block.text;
      const resource = isMapping(block.resource) ? block.resource : undefined;
      if (typeof resource?.text === "string") return resource.text;
      const where = block.uri ?? resource?.uri ?? block.mimeType ?? "";
      return `[${wordOf(block.type)}${where ? ` ${wordOf(where)}` : ""}]`;
    })
    .join("\n");
}

/** A server may put anything where a word belongs, also what has no text of its own. */
const wordOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"));

export function asToolText(result: Extract<McpResult, { ok: true }>): string {
  const text = contentText(result.content);
  // Servers repeat structured content as text; those that do not would leave the model with nothing.
  return text === "" && result.structured ? JSON.stringify(result.structured) : text;
}

let spills = 0;

/** Cuts a text to the limits of `runtime.tool_output`, keeping the beginning. */
export async function fitToolText(
  text: string,
  tool: string,
  limits: ToolOutputLimits,
  attempt: Caller,
): Promise<string> {
  if (!limits.enabled || text.length <= limits.maxChars) return text;
  const kept = text.slice(0, limits.maxChars);
  const spill = limits.spillToFile ? await spillTo(text, tool, limits, attempt) : null;
  attempt.emit("agent_tool_output_truncated", {
    agent_name: attempt.node,
    tool_name: tool,
    original_chars: text.length,
    kept_chars: kept.length,
    spill_path: spill,
  });
  const where = spill ? ` All of it is in ${spill}.` : "";
  return `${kept}\n\n[Cut: these are the first ${kept.length} of ${text.length} characters.${where}]`;
}

/** Null when it cannot be written: a full disk must not cost the answer. */
async function spillTo(text: string, tool: string, limits: ToolOutputLimits, attempt: Caller): Promise<string | null> {
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
