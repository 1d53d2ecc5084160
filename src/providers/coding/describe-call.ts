// What an agent wants to do, for whoever is asked: "You asked whether you may ...", and below that line the rest of it.
// Whoever says yes must have seen what to: nothing of it can hide behind control characters, or beyond where it is cut
// without a word.
import { createHash } from "node:crypto";

const LONGEST = 4000;
const SHOWN_END = 1000;

/** Control characters, and those that turn or hide the text around them. */
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** As it will be run or used, with every character to be seen. */
export function everyCharacter(text: string): string {
  const seen = text.replace(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (seen.length <= LONGEST) return seen;
  const left = seen.length - LONGEST;
  return `${seen.slice(0, LONGEST - SHOWN_END)} … ${left} CHARACTERS ARE NOT SHOWN HERE … ${seen.slice(-SHOWN_END)}`;
}

type Input = Readonly<Record<string, unknown>>;

/** In the first line of what is asked. */
const NAMED_FIRST = ["command", "file_path", "path", "notebook_path", "url"];

export function describeCall(tool: string, input: Input): string {
  const name = NAMED_FIRST.find((one) => typeof input[one] === "string");
  if (name === undefined) return `use ${everyCharacter(tool)} with ${everyCharacter(JSON.stringify(input) ?? "")}`;
  const { [name]: first, ...rest } = input;
  return withDetails(`${verbOf(name, tool)} ${quotedIf(name === "command", everyCharacter(String(first)))}`, rest);
}

const verbOf = (name: string, tool: string): string => {
  if (name === "command") return "run the command";
  if (name === "url") return "fetch";
  return /read|view|glob|grep/i.test(tool) ? "read" : "change";
};

const quotedIf = (isQuoted: boolean, text: string): string => (isQuoted ? `\`${text}\`` : text);

const DETAILS = "\n\n";

/** The line, and below it what else the request says: what would be written, and how. */
export function withDetails(line: string, details: Input): string {
  const shown = Object.entries(details).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === "") return [];
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const isLong = text.includes("\n") || text.length > 80;
    return [`${everyCharacter(name)}:${isLong ? "\n" : " "}${everyCharacter(text)}`];
  });
  return shown.length === 0 ? line : `${line}${DETAILS}${shown.join("\n")}`;
}

/** Without what stands below the first line, for who asked and knows the rest. */
export const withoutDetails = (what: string): string => what.split(DETAILS, 1)[0] ?? what;

/**
 * What is asked, with a digest of all of the request: two requests that look alike where they are cut, or of which one
 * has other contents, are two questions.
 */
export function exactly(what: string, request: unknown): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(request) ?? "")
    .digest("hex");
  return `${what}${DETAILS}[request ${digest.slice(0, 32)}]`;
}
