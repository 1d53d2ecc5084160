// What an agent wants to do, for whoever is asked: "You asked whether you may ...", and below that line the rest of it.
// Whoever says yes must have seen what to, so everything that the agent wrote is shown literally.
import { createHash } from "node:crypto";
import { fenced, LEADING_BLOCK, meansNothingInMarkdown } from "./literal.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Wish {
  readonly verb: string;
  /** What it is about where that has a block of its own: `this file`. */
  readonly thing: string;
  /** As the agent wrote it. */
  readonly name: string;
  /** Set: always in a block of its own. */
  readonly isCode?: boolean;
  /** What else the request says: what would be written, and how. */
  readonly details?: Input;
}

/** `change src/a.ts`, or `run this command:` with the command below it; then the details. */
export function describeWish({ verb, thing, name, isCode = false, details = {} }: Wish): string {
  const wish = !isCode && meansNothingInMarkdown(name) ? `${verb} ${name}` : `${verb} ${thing}:${PART}${fenced(name)}`;
  return [wish, ...Object.entries(details).flatMap(([detail, value]) => describeDetail(detail, value))].join(PART);
}

/** In the first line of what is asked. */
const NAMED_FIRST = ["command", "file_path", "path", "notebook_path", "url"];

export function describeCall(tool: string, input: Input): string {
  const field = NAMED_FIRST.find((one) => typeof input[one] === "string");
  if (field === undefined)
    return describeWish({ verb: "use", thing: "this tool", name: tool, details: { with: input } });
  const { [field]: first, ...details } = input;
  const name = String(first);
  if (field === "command") return describeWish({ verb: "run", thing: "this command", name, isCode: true, details });
  if (field === "url") return describeWish({ verb: "fetch", thing: "this address", name, details });
  const verb = /read|view|glob|grep/i.test(tool) ? "read" : "change";
  return describeWish({ verb, thing: "this file", name, details });
}

const PART = "\n\n";

function describeDetail(name: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  if (!meansNothingInMarkdown(name)) return [`also:${PART}${fenced(`${name}: ${text}`)}`];
  return [meansNothingInMarkdown(text) ? `${name}: ${text}` : `${name}:${PART}${fenced(text)}`];
}

/** Without the details, for who asked and knows the rest. */
export function withoutDetails(what: string): string {
  const [wish = "", ...rest] = what.split(PART);
  const block = wish.endsWith(":") ? LEADING_BLOCK.exec(rest.join(PART))?.[0] : undefined;
  return block === undefined ? wish : `${wish}${PART}${block}`;
}

/**
 * What is asked, with a digest of all of the request: two requests that look alike where they are cut, or of which one
 * has other contents, are two questions.
 */
export function exactly(what: string, request: unknown): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(request) ?? "")
    .digest("hex");
  return `${what}${PART}[request ${digest.slice(0, 32)}]`;
}
