// For programs: hints name functions of the library.
import type { Reader } from "../results/reader.ts";

const text = (value: string): string => JSON.stringify(value);

export const LIBRARY_USER: Reader = {
  ask(wanted) {
    switch (wanted.to) {
      case "run":
        return "run(file)";
      case "run code":
        return "run(definition)";
      case "validate":
        return `validate(${text(wanted.file)})`;
      case "resume": {
        const options = [
          ...(wanted.maxIterations === undefined ? [] : [`maxIterations: ${wanted.maxIterations}`]),
          ...(wanted.changedFiles ? ["changedFiles: true"] : []),
        ];
        return `resume(${text(wanted.run)}${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
      }
      case "run lost items":
        return `resume(${text(wanted.run)}, { failedItems: true })`;
      case "be asked":
        return `resume(${text(wanted.run)}, { ask })`;
      case "take over":
        // A person decides that, at a terminal.
        return null;
      case "cancel":
        return `cancel(${text(wanted.run)})`;
      case "follow":
        return `events(${text(wanted.run)}, { follow: true })`;
      case "show":
        return `show(${text(wanted.run)})`;
      case "list runs":
        return "runs()";
      case "list gates":
        return "gates.list()";
      case "answer":
        return `gates.answer(${text(wanted.run)}, VALUE${wanted.gate === undefined ? "" : `, { gate: ${text(wanted.gate)} }`})`;
      case "list letters":
        return "letters.list({ all: true })";
      case "retry":
        return "letter" in wanted
          ? `letters.retry({ ids: [${text(wanted.letter)}] })`
          : `letters.retry({ run: ${text(wanted.run)} })`;
      case "retry all":
        return `letters.retry(${JSON.stringify(wanted.filters)})`;
      case "list breakers":
        return "breakers.list()";
      case "reset":
        return `breakers.reset(${text(wanted.breaker)})`;
      case "list workers":
        // A person looks after those, at a terminal.
        return null;
      case "prune":
        return "prune()";
      case "examine":
        return "doctor()";
      case "reindex":
        return "doctor({ reindex: true })";
      case "start servers":
        return "doctor({ file, start: true })";
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        return `inputs: { ${text(given.name)}: ${given.example ?? "VALUE"} }`;
      case "gate":
        return "`gate`";
      case "home":
        return "`openStore(folder)` or SEGNO_HOME";
      case "provider":
        return "`provider`";
      case "answer":
        return `answers: { ${text(given.name)}: … }`;
      case "option":
        return `\`${given.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}\`${given.value === undefined ? "" : ` ${text(given.value)}`}`;
    }
  },
};

/** What each function is called on a client. */
const ON_CLIENT: Readonly<Record<string, string>> = {
  run: "segno.run",
  validate: "segno.workflows.validate",
  resume: "segno.runs.resume",
  cancel: "segno.runs.cancel",
  events: "segno.runs.events",
  show: "segno.runs.get",
  runs: "segno.runs.list",
  prune: "segno.runs.prune",
  doctor: "segno.doctor",
};

/** For programs with a client. */
export const CLIENT_USER: Reader = {
  ask: (wanted) =>
    LIBRARY_USER.ask(wanted)?.replace(/^([a-z]+)(?=[.(])/, (name) => ON_CLIENT[name] ?? `segno.${name}`) ?? null,
  give: (given) => (given.what === "home" ? "the `store` of createSegno, or SEGNO_HOME" : LIBRARY_USER.give(given)),
};
