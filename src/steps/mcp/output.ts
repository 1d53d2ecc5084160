// What `output` of an `mcp` step is, made of a tool's answer.
import { isMapping } from "../../base/errors/mapping.ts";
import type { Attempt, McpOutput } from "../step-type.ts";
import { spillTo, type ToolOutputLimits } from "../tool-output.ts";
import type { McpAnswer } from "../world.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Names that a field of `structured` does not get beside it. */
const RESERVED: readonly string[] = ["content", "structured", "is_error", "outputs", "errors"];

export function outputOf(answer: McpAnswer, isError: boolean, as: McpOutput): Fields {
  const { content } = answer;
  const structured = answer.structured ?? null;
  if (as === "envelope") {
    const fields = isMapping(structured) ? Object.entries(structured) : [];
    return {
      content,
      structured,
      is_error: isError,
      ...Object.fromEntries(fields.filter(([name]) => !RESERVED.includes(name))),
    };
  }
  const bare: Fields = structured ?? { content };
  return as === "bare" ? bare : { structured, is_error: isError, ...bare };
}

export interface CutContent {
  readonly content: unknown;
  readonly truncated: boolean;
  readonly spill_path?: string;
}

/** The texts of all blocks together, in their order, are cut at `max_chars`. What the server says of cuts is left out. */
export async function cutContent(
  content: unknown,
  tool: string,
  limits: ToolOutputLimits,
  attempt: Attempt,
): Promise<CutContent> {
  const blocks = blocksOf(content).map(withoutMarks);
  const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (!limits.enabled || total <= limits.maxChars) return { content: blocks, truncated: false };
  const spilled = limits.spillToFile ? await spillTo(texts.join("\n"), tool, limits, attempt) : null;
  const where = spilled === null ? {} : { spill_path: spilled };
  let left = limits.maxChars;
  const cut = blocks.map((block) => {
    if (!isText(block)) return block;
    const text = block.text.slice(0, left);
    left -= text.length;
    return text.length === block.text.length ? block : { ...block, text, truncated: true, ...where };
  });
  return { content: cut, truncated: true, ...where };
}

/** A scenario may give a bare text. */
function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

const isText = (block: unknown): block is Fields & { readonly text: string } =>
  isMapping(block) && block.type === "text" && typeof block.text === "string";

function withoutMarks(block: unknown): unknown {
  if (!isMapping(block)) return block;
  const { truncated: _, spill_path: _path, ...rest } = block;
  return rest;
}
