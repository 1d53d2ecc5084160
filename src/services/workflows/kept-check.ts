// A process that runs one file again and again (a worker, a server, a program with the library) checks it once: what was
// found is kept while all that the check looked at gives the same answers.
import type { LoadWorld } from "../../language/loaded.ts";
import { type ValidateOptions, type Validation, validateWorkflow } from "../../language/validate.ts";

type Ask = (world: LoadWorld) => string | undefined;

/** Each question to the world, by its kind and what it is about, with the answer as text. */
type Looked = Map<string, { readonly ask: Ask; readonly answer: string | undefined }>;

interface Kept {
  readonly looked: Looked;
  readonly validation: Validation;
}

const kept = new Map<string, Kept>();
const MOST_KEPT = 20;

/** Of step types the data, which is all that a check depends on: a worker makes the type `wait` anew for each run. */
const keyOf = (path: string, known: ValidateOptions): string => `${path}\0${JSON.stringify(known)}`;

/** What was found before, if the same would be found now. */
export function keptCheck(path: string, files: LoadWorld, known: ValidateOptions): Validation | undefined {
  const key = keyOf(path, known);
  const before = kept.get(key);
  if (!before || files.defined) return undefined;
  for (const { ask, answer } of before.looked.values()) if (ask(files) !== answer) return undefined;
  keep(key, before);
  return before.validation;
}

export function checkAndKeep(path: string, files: LoadWorld, known: ValidateOptions): Validation {
  // Places in code are no answers that could be compared.
  if (files.defined) return validateWorkflow(path, files, known);
  const looked: Looked = new Map();
  const validation = validateWorkflow(path, noting(files, looked), known);
  keep(keyOf(path, known), { looked, validation });
  return validation;
}

/** As the one that was used last. */
function keep(key: string, found: Kept): void {
  kept.delete(key);
  kept.set(key, found);
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
  };
}

function readText(world: LoadWorld, file: string): string {
  try {
    return Buffer.from(world.read(file)).toString("latin1");
  } catch (error) {
    return `cannot be read: ${String(error)}`;
  }
}
