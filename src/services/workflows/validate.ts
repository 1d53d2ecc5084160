// `segno validate`: every finding of one or more files, as one answer; which files are no workflows, by their names alone; and
// what each rule is about.
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { unlessItThrows } from "../../base/errors/mapping.ts";
import { type Entry, findingEntries, invalidResult, type Result, validResult } from "../../base/results/index.ts";
import type { Finding, LoadWorld } from "../../language/loaded.ts";
import { RULES } from "../../language/rules/index.ts";
import type { FileDialect } from "../../language/schema/index.ts";
import { type Validation, validateWorkflow, withEnd } from "../../language/validate.ts";
import { knownFor } from "../project/people-of-run.ts";
import { environmentRedactor } from "../session/exit.ts";
import { filesOf, shownPath } from "../session/files.ts";
import { PROJECT_FILE } from "../session/find-project.ts";
import type { Session } from "../session/session.ts";

export interface ValidateRequest {
  readonly files: readonly string[];
  /** The files are only ever called by others, so they may let errors out to them. */
  readonly asChild?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
  /** How a scenario, an eval or a project is checked; loaded only by callers that are given one. Nothing for other files. */
  readonly checkOther?: (file: string, session: Session) => readonly Finding[] | undefined;
}

export interface ValidateAnswer extends Result {
  readonly files: readonly string[];
  /** By whose rules the file is read: Conductor's (`agents`) or Segno's (`steps`). null for several files, and for other files. */
  readonly dialect: FileDialect | null;
}

/** ` (steps: Segno's rules)`: by whose rules a file is read, after its name. Empty where there is no single workflow. */
export const rulesNote = (dialect: FileDialect | null): string =>
  dialect === null ? "" : ` (${dialect}: ${dialect === "agents" ? "Conductor" : "Segno"}'s rules)`;

/** A file as it was given, with what was found. */
export interface CheckedFile extends Pick<Validation, "findings" | "workflow"> {
  readonly file: string;
}

export const validateFiles = (session: Session, request: ValidateRequest): ValidateAnswer =>
  answerOfChecks(
    request.files.map((file) => ({ file, ...checkFile(resolve(session.cwd, file), session, request) })),
    session,
    request,
  );

export function answerOfChecks(
  checks: readonly CheckedFile[],
  { cwd, env }: Session,
  { strict }: Pick<ValidateRequest, "strict">,
): ValidateAnswer {
  const found = checks.map(({ findings }) => findingEntries(findings, { path: (path) => shownPath(path, cwd) }));
  const warned = once(found.flatMap((one) => one.warnings));
  const errors = once(found.flatMap((one) => (strict ? [...one.errors, ...one.warnings] : one.errors)));
  const [single] = checks.length === 1 ? checks : [];
  const about = {
    file: single ? shownPath(resolve(cwd, single.file), cwd) : null,
    workflow: single?.workflow?.definition.workflow.name ?? null,
    warnings: strict ? [] : warned,
  };
  const result = errors.length > 0 ? invalidResult(errors, about) : validResult(about);
  const files = checks.map(({ file }) => file);
  return environmentRedactor(env).answer({ ...result, files, dialect: single?.workflow?.dialect ?? null });
}

/** What there is to say of one file, an absolute path: a workflow with all that it calls, or another file of ours. */
export function checkFile(
  path: string,
  session: Session,
  { asChild, checkOther }: Omit<ValidateRequest, "files">,
): Pick<Validation, "findings" | "workflow"> {
  const files = filesOf(session);
  const findings = checkOther?.(path, session);
  if (findings) return { findings: findings.map((one) => withEnd(one, (file) => textOf(file, files))) };
  return validateWorkflow(path, files, { ...knownFor(path, session), asChild });
}

const textOf = (file: string, { read }: LoadWorld): string | undefined =>
  unlessItThrows(() => Buffer.from(read(file)).toString("utf8"), undefined);

/** A file that another one calls, and that is given by itself too, was checked twice. */
function once(entries: readonly Entry[]): Entry[] {
  const keyOf = ({ rule, message, location }: Entry): string => JSON.stringify([rule, message, location]);
  return [...new Map(entries.map((entry) => [keyOf(entry), entry] as const).reverse()).values()].reverse();
}

export type OtherKind = "scenario" | "eval" | "project";

/** Nothing for what may be a workflow. */
export function otherKind(file: string): OtherKind | undefined {
  const name = basename(file);
  if (name === PROJECT_FILE) return "project";
  if (/(\.scenario|^scenario)\.ya?ml$/.test(name)) return "scenario";
  return /(\.eval|^eval)\.ya?ml$/.test(name) ? "eval" : undefined;
}

/** Of findings that no rule of the language makes. */
const OTHERS: Readonly<Record<string, string>> = {
  "unhandled-error": "An error that is to be expected can leave the file, and no route takes it.",
  scenario: "A scenario did not go as it expects.",
  "error-coverage": "The scenarios take fewer of the error routes than are wanted.",
  "broken-plugin": "A plugin of the project cannot be loaded.",
  "missing-file": "A file that is named is not there.",
};

export function ruleText(name: string): { readonly description: string; readonly example?: string } | undefined {
  const rule = RULES.find((one) => one.name === name);
  if (rule) return { description: rule.description, example: rule.example };
  const description = OTHERS[name];
  return description === undefined ? undefined : { description };
}

export const isFolder = (cwd: string, path: string): boolean =>
  statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
