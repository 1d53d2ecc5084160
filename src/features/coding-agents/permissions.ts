// What an agent may do (`sandbox`, `allow`, `ask`, `network`, `settings`), and what it asks for, as a person reads it. A yes
// must be to something seen, so everything that the agent wrote is shown literally.
import { createHash } from "node:crypto";
import { cp } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ProviderFailure } from "../../providers/failure.ts";

export const SANDBOXES = ["read-only", "workspace", "full"] as const;
export type SandboxName = (typeof SANDBOXES)[number];

export interface Permissions {
  readonly sandbox: SandboxName;
  /** What is allowed beyond the sandbox's own, in the agent's words: `Bash(npm test:*)`. */
  readonly allow: readonly string[];
  /** `allow: [node_modules]`: commands of packages may be installed. */
  readonly mayInstall?: true;
  /** What happens to other requests: they are denied, or a person is asked. */
  readonly ask: "deny" | "gate";
  readonly network: boolean;
  /** Whose hooks, MCP servers and instructions the agent reads. */
  readonly settings: "none" | "project" | "user";
  /** The same in the words of Claude, where the file says it in them. */
  readonly sources?: readonly string[];
}

/** What Claude calls those whose settings it reads. */
export const CLAUDE_SOURCES = { none: [], project: ["project", "local"], user: ["user", "project", "local"] } as const;

/** The folder of packages, which is looked through for nothing; in `allow` it means that commands may be installed there. */
export const PACKAGES = "node_modules";

export function permissionsOf(settings: Readonly<Record<string, unknown>>): Permissions {
  const { sandbox, allow, ask, network } = settings;
  const said = settings.settings === undefined ? settings.setting_sources : undefined;
  const sources = Array.isArray(said) ? SOURCES.filter((one) => said.includes(one)) : undefined;
  const read = sources ? levelOf(sources) : settings.settings;
  const rules = Array.isArray(allow) ? allow.filter((one) => typeof one === "string") : [];
  return {
    sandbox: SANDBOXES.find((one) => one === sandbox) ?? "workspace",
    allow: rules.filter((one) => one !== PACKAGES),
    ...(rules.includes(PACKAGES) ? { mayInstall: true } : {}),
    ask: ask === "gate" ? "gate" : "deny",
    network: network === true,
    settings: read === "project" || read === "user" ? read : "none",
    ...(sources ? { sources } : {}),
  };
}

const SOURCES: readonly string[] = CLAUDE_SOURCES.user;

const levelOf = (sources: readonly string[]): Permissions["settings"] =>
  sources.includes("user") ? "user" : sources.length > 0 ? "project" : "none";

/** `Bash`, `Bash(npm test:*)`, `shell(git status)`: a rule that lets commands run. */
export const isCommandRule = (rule: string): boolean => /^(?:bash|shell)\b/i.test(rule.trim());

/** Commands that nothing confines may do anything (edit package.json, run `npm test`): refused before anything runs. */
export function refuseUnconfined({ sandbox, allow }: Permissions, isConfined: boolean, remedy: string): void {
  const rule = allow.find(isCommandRule);
  if (sandbox === "full" || isConfined || rule === undefined) return;
  throw new ProviderFailure(
    "unready",
    `allow has ${JSON.stringify(rule)}, but under sandbox: ${sandbox} commands run only inside a sandbox of the operating system, and there is none here. ${remedy}, take the rule out, or choose sandbox: full if nothing needs to be kept from this agent`,
  );
}

// `settings: user`: an agent has a folder of its own in the run's, so what its user wrote for it is brought there, by name.
// Logins and histories stay where they are.

type Environment = Readonly<Record<string, string | undefined>>;

export const ofUser = (env: Environment, variable: string, name: string): string =>
  env[variable] || join(env.HOME || homedir(), name);

/** What is not there is not brought. */
export async function bringSettings(from: string, names: readonly string[], to: string): Promise<void> {
  for (const name of names)
    await cp(join(from, name), join(to, name), { recursive: true, dereference: true }).catch((problem: unknown) => {
      if ((problem as NodeJS.ErrnoException).code !== "ENOENT") throw problem;
    });
}

type Input = Readonly<Record<string, unknown>>;

/** What a wish is about, by its verb, where that has a block of its own. */
const THINGS = {
  run: "this command",
  read: "this file",
  change: "this file",
  delete: "this file",
  move: "this file",
  fetch: "this address",
  use: "this tool",
} as const;

interface Wish {
  readonly verb: keyof typeof THINGS;
  readonly name: string;
  readonly details?: Input;
  readonly thing?: string;
}

/** `change src/a.ts`, or `run this command:` with the command below it; then the details. */
export function describeWish({ verb, name, details = {}, thing = THINGS[verb] }: Wish): string {
  const isPlain = verb !== "run" && meansNothingInMarkdown(name);
  const wish = isPlain ? `${verb} ${name}` : `${verb} ${thing}:${PART}${fenced(name)}`;
  return [wish, ...Object.entries(details).flatMap(([detail, value]) => describeDetail(detail, value))].join(PART);
}

const NAMED_FIRST = ["command", "file_path", "path", "notebook_path", "url"];

export function describeCall(tool: string, input: Input): string {
  const field = NAMED_FIRST.find((one) => typeof input[one] === "string");
  if (field === undefined) return describeWish({ verb: "use", name: tool, details: { with: input } });
  const { [field]: first, ...details } = input;
  const name = String(first);
  if (field === "command") return describeWish({ verb: "run", name, details });
  if (field === "url") return describeWish({ verb: "fetch", name, details });
  return describeWish({ verb: /read|view|glob|grep/i.test(tool) ? "read" : "change", name, details });
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

/** The same on one line, for a warning or a list; the model wrote it, so what cannot be seen is written out. */
export function wishInOneLine(what: string): string {
  const line = withoutDetails(what)
    .replace(/^`{3,}$/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)} …`;
}

const LONGEST_LINE = 300;

/** With a digest of all of the request: two that look alike where they are cut are two questions. */
export function exactly(what: string, request: unknown): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(request) ?? "")
    .digest("hex");
  return `${what}${PART}[request ${digest.slice(0, 32)}]`;
}

// What an agent wrote, inside of a text that is read as Markdown: shown as it is, every character of it, so that nothing can
// hide as a link's target, in a table's cell or behind a control character, and nothing can pass for Segno's own words.

const LONGEST = 4000;
const SHOWN_END = 1000;

/** Control characters, and those that turn or hide the text around them or show nothing at all; a line break is seen. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** As it will be run or used, with every character to be seen. */
function everyCharacter(text: string): string {
  const seen = text.replace(UNSEEN, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
  if (seen.length <= LONGEST) return seen;
  const left = seen.length - LONGEST;
  return `${seen.slice(0, LONGEST - SHOWN_END)} … ${left} CHARACTERS ARE NOT SHOWN HERE … ${seen.slice(-SHOWN_END)}`;
}

/** A block of code that nothing in it can end: its fence is longer than any that the text has. */
function fenced(text: string): string {
  const shown = everyCharacter(text);
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}`;
}

const meansNothingInMarkdown = (text: string): boolean =>
  text.length <= 200 &&
  /^(?:[A-Za-z0-9/.:,?-]|(?<=[A-Za-z0-9]) (?=[A-Za-z0-9])|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))+$/.test(text);

const LEADING_BLOCK = /^(`{3,})\n[\s\S]*?\n\1(?=\n|$)/;
