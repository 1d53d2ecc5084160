// A workflow file that has no errors, with the project's defaults; one that has errors is refused with all that is wrong.
import { resolve } from "node:path";
import { findingEntries } from "../../base/results/index.ts";
import { loadWorkflow } from "../../language/load.ts";
import { familyOf, type LoadedWorkflow, type LoadWorld } from "../../language/loaded.ts";
import { type ValidateOptions, type Validation, validateWorkflow } from "../../language/validate.ts";
import { knownFor } from "../project/people-of-run.ts";
import { invalidWorkflow } from "../refusals.ts";
import type { Warned } from "../request.ts";
import { policyCodeOf } from "../resilience/policy-code.ts";
import { environmentRedactor } from "../session/exit.ts";
import { filesOf, shownPath } from "../session/files.ts";
import type { RuntimeDefaults, Session } from "../session/session.ts";

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
    keptCheck(path, files, known) ?? (isJudged ? loadWorkflow(path, files, known) : checkAndKeep(path, files, known));
  if (!workflow || findings.some((finding) => finding.severity === "error")) throw invalidWorkflow(findings, path, cwd);
  if (warned && findings.length > 0)
    warned(
      environmentRedactor(env).answer(findingEntries(findings, { path: (shown) => shownPath(shown, cwd) }).warnings),
    );
  // What policies run is part of what was checked.
  if (session.readsFrom?.snapshot) policyCodeOf(workflow, session.readsFrom.snapshot);
  return defaults ? withDefaults(workflow, defaults) : workflow;
}

/** Of the file that is run; those that it calls take what they do not say from it. */
export function withDefaults(
  workflow: LoadedWorkflow,
  { provider, model, durability, limits = [] }: RuntimeDefaults,
): LoadedWorkflow {
  const { definition, raw } = workflow;
  const said = (raw as { workflow?: { runtime?: Readonly<Record<string, unknown>> | null } }).workflow?.runtime ?? {};
  const saysProvider = said.provider !== undefined;
  const runtime = {
    ...definition.workflow.runtime,
    ...(provider !== undefined && !saysProvider ? { provider: { name: provider } } : {}),
    // A model belongs to its provider: who names only the provider means that provider's own default.
    ...(model !== undefined && said.default_model === undefined && !saysProvider ? { default_model: model } : {}),
    limits: [...definition.workflow.runtime.limits, ...limits],
    ...(durability !== undefined && said.durability === undefined ? { durability } : {}),
  };
  return { ...workflow, definition: { ...definition, workflow: { ...definition.workflow, runtime } } };
}

type Ask = (world: LoadWorld) => string | undefined;

/** Each question to the world, by its kind and what it is about, with the answer as text. */
type Looked = Map<string, { readonly ask: Ask; readonly answer: string | undefined }>;

const kept = new Map<string, { readonly looked: Looked; readonly validation: Validation }>();
const MOST_KEPT = 20;

/** Of step types the data, which is all that a check depends on: a worker makes the type `wait` anew for each run. */
const keyOf = (path: string, known: ValidateOptions): string => `${path}\0${JSON.stringify(known)}`;

/** What was found before, if the same would be found now. */
function keptCheck(path: string, files: LoadWorld, known: ValidateOptions): Validation | undefined {
  const key = keyOf(path, known);
  const before = kept.get(key);
  if (!before || files.defined) return undefined;
  for (const { ask, answer } of before.looked.values()) if (ask(files) !== answer) return undefined;
  keep(key, before.looked, before.validation);
  return before.validation;
}

function checkAndKeep(path: string, files: LoadWorld, known: ValidateOptions): Validation {
  // Places in code are no answers that could be compared.
  if (files.defined) return validateWorkflow(path, files, known);
  const looked: Looked = new Map();
  const validation = validateWorkflow(path, noting(files, looked), known);
  keep(keyOf(path, known), looked, validation);
  return validation;
}

/** As the one that was used last. */
function keep(key: string, looked: Looked, validation: Validation): void {
  kept.delete(key);
  kept.set(key, { looked, validation });
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Notes each question before it is answered: what changes in between is then seen to be another the next time. */
function noting(files: LoadWorld, looked: Looked): LoadWorld {
  const note = (question: string, ask: Ask): void => {
    if (!looked.has(question)) looked.set(question, { ask, answer: ask(files) });
  };
  return {
    env: new Proxy(files.env, {
      get(env, name) {
        note(`env ${String(name)}`, (world) => world.env[String(name)]);
        return env[String(name)];
      },
    }),
    read(file) {
      note(`read ${file}`, (world) => readText(world, file));
      return files.read(file);
    },
    exists(path) {
      note(`exists ${path}`, (world) => String(world.exists(path)));
      return files.exists(path);
    },
    list(folder) {
      note(`list ${folder}`, (world) => world.list?.(folder).join("\0") ?? "");
      return files.list?.(folder) ?? [];
    },
    lacks(command) {
      note(`lacks ${command}`, (world) => String(world.lacks?.(command) ?? false));
      return files.lacks?.(command) ?? false;
    },
    hasFile(pattern, dir) {
      note(`file ${dir} ${pattern}`, (world) => String(world.hasFile?.(pattern, dir) ?? true));
      return files.hasFile?.(pattern, dir) ?? true;
    },
  };
}

function readText(world: LoadWorld, file: string): string {
  try {
    return Buffer.from(world.read(file)).toString("latin1");
  } catch (error) {
    return `cannot be read: ${String(error)}`;
  }
}

const sections = (root: LoadedWorkflow) => familyOf(root).map(({ definition }) => definition.workflow);

export const isGoverned = (workflow: LoadedWorkflow): boolean =>
  sections(workflow).some(({ resilience, policies }) => resilience !== undefined || policies.length > 0);
