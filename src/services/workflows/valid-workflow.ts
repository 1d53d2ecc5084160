// A workflow file that has no errors; one that has is refused with all that is wrong. A process that runs one file again
// and again (a worker, a server, a program with the library) checks it once: what was found is kept while all that the
// check looked at gives the same answers.
import { resolve } from "node:path";
import { loadWorkflow } from "../../language/load.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import { type ValidateOptions, type Validation, validateWorkflow } from "../../language/validate.ts";
import { findingEntries } from "../../results/index.ts";
import type { StepType } from "../../steps/step-type.ts";
import { knownFor } from "../access/people-of-run.ts";
import { invalidWorkflow } from "../refusals.ts";
import type { Warned } from "../request.ts";
import { environmentRedactor } from "../secrets/environment-redactor.ts";
import { filesOf } from "../session/files.ts";
import { withDefaults } from "../session/runtime-defaults.ts";
import type { Session } from "../session/session.ts";
import { shownPath } from "../session/shown-path.ts";

interface ValidOptions extends ValidateOptions {
  /** The caller knows that no rule has anything against it: only its form is checked. */
  readonly isJudged?: boolean;
}

/** With the files that it calls. */
export function validWorkflow(
  file: string,
  session: Session,
  { isJudged = false, ...options }: ValidOptions = {},
  files: LoadWorld = filesOf(session),
  warned?: Warned,
): LoadedWorkflow {
  const { cwd, env } = session;
  const { defaults } = session.project ?? {};
  const path = resolve(cwd, file);
  const known = { ...knownFor(path, session), ...options };
  const { workflow, findings } =
    keptFor(path, files, known) ?? (isJudged ? loadWorkflow(path, files, known) : checkedAndKept(path, files, known));
  if (!workflow || findings.some((finding) => finding.severity === "error")) throw invalidWorkflow(findings, path, cwd);
  if (warned && findings.length > 0)
    warned(
      findingEntries(findings, { path: (shown) => shownPath(shown, cwd), redactor: environmentRedactor(env) }).warnings,
    );
  return defaults ? withDefaults(workflow, defaults) : workflow;
}

type Ask = (world: LoadWorld) => string | undefined;

/** Each question to the world, by its kind and what it is about, with the answer as text. */
type Looked = Map<string, { readonly ask: Ask; readonly answer?: string }>;

interface Kept {
  readonly looked: Looked;
  readonly known: ValidateOptions;
  readonly validation: Validation;
}

const kept = new Map<string, Kept>();
const MOST_KEPT = 20;

function keptFor(path: string, files: LoadWorld, known: ValidateOptions): Validation | undefined {
  const before = kept.get(path);
  if (!before || files.defined || !isSame(before.known, known)) return undefined;
  for (const { ask, answer } of before.looked.values()) if (ask(files) !== answer) return undefined;
  keep(path, before);
  return before.validation;
}

function checkedAndKept(path: string, files: LoadWorld, known: ValidateOptions): Validation {
  // Places in code are no answers that could be compared.
  if (files.defined) return validateWorkflow(path, files, known);
  const looked: Looked = new Map();
  const validation = validateWorkflow(path, noting(files, looked), known);
  keep(path, { looked, known, validation });
  return validation;
}

/** As the one that was used last. */
function keep(path: string, found: Kept): void {
  kept.delete(path);
  kept.set(path, found);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

function noting(files: LoadWorld, looked: Looked): LoadWorld {
  const { list, lacks } = files;
  const note = (kind: string, about: string, ask: Ask, answer = ask(files)): void => {
    const question = `${kind} ${about}`;
    if (!looked.has(question)) looked.set(question, { ask, answer });
  };
  return {
    env: new Proxy(files.env, {
      get(env, name) {
        note("env", String(name), (world) => world.env[String(name)]);
        return env[String(name)];
      },
    }),
    read(file) {
      const ask: Ask = (world) => readText(world, file);
      try {
        const bytes = files.read(file);
        note("read", file, ask, textOf(bytes));
        return bytes;
      } catch (error) {
        note("read", file, ask);
        throw error;
      }
    },
    exists(path) {
      note("exists", path, (world) => String(world.exists(path)));
      return files.exists(path);
    },
    ...(list && {
      list: (folder: string) => {
        note("list", folder, (world) => world.list?.(folder).join("\0"));
        return list(folder);
      },
    }),
    ...(lacks && {
      lacks: (command: string) => {
        note("lacks", command, (world) => String(world.lacks?.(command)));
        return lacks(command);
      },
    }),
  };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

function readText(world: LoadWorld, file: string): string {
  try {
    return textOf(world.read(file));
  } catch (error) {
    return `cannot be read: ${String(error)}`;
  }
}

/** What step types are made of is the same only as objects; the rest is plain data. */
function isSame(
  { stepTypes: ones = {}, ...one }: ValidateOptions,
  { stepTypes: others = {}, ...other }: ValidateOptions,
): boolean {
  return (
    haveSame(ones, others, (type, same) => haveSame(withoutExecutor(type), withoutExecutor(same), Object.is)) &&
    JSON.stringify(one) === JSON.stringify(other)
  );
}

/** A check executes nothing. A worker's `wait` has an executor of its own for each run. */
const withoutExecutor = ({ executor: _, ...type }: StepType): Readonly<Record<string, unknown>> => type;

function haveSame<Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  isSameValue: (a: Value, b: Value) => boolean,
): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name] as Value, other[name] as Value))
  );
}
