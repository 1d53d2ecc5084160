// For programs: hints name functions of the library.
import type { Given, Reader, Wanted } from "../../base/results/reader.ts";

const text = (value: string): string => JSON.stringify(value);

const ASKS: { readonly [To in Wanted["to"]]: (wanted: Extract<Wanted, { readonly to: To }>) => string | null } = {
  run: () => "run(file)",
  "run code": () => "run(definition)",
  validate: ({ file }) => `validate(${text(file)})`,
  resume: ({ run, maxIterations, maxVisits, changedFiles, from }) => {
    const options = [
      ...(maxIterations === undefined ? [] : [`maxIterations: ${maxIterations}`]),
      ...(maxVisits === undefined ? [] : [`maxVisits: ${maxVisits}`]),
      ...(changedFiles ? ["changedFiles: true"] : []),
      ...(from === undefined ? [] : [`from: ${text(from)}`]),
    ];
    return `resume(${text(run)}${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
  },
  "run lost items": ({ run }) => `resume(${text(run)}, { failedItems: true })`,
  "be asked": ({ run }) => `resume(${text(run)}, { ask })`,
  // A person decides that, at a terminal.
  "take over": () => null,
  cancel: ({ run }) => `cancel(${text(run)})`,
  follow: ({ run }) => `events(${text(run)}, { follow: true })`,
  show: ({ run }) => `show(${text(run)})`,
  "list runs": () => "runs()",
  "list gates": () => "gates.list()",
  answer({ run, gate, questions }) {
    const answers = questions?.map((id) => `${text(id)}: "…"`).join(", ");
    const options = [
      ...(gate === undefined ? [] : [`gate: ${text(gate)}`]),
      ...(answers === undefined ? [] : [`answers: { ${answers} }`]),
    ];
    const value = questions === undefined ? "VALUE" : text("done");
    return `gates.answer(${text(run)}, ${value}${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
  },
  "list letters": () => "letters.list({ all: true })",
  retry: (wanted) =>
    "letter" in wanted
      ? `letters.retry({ ids: [${text(wanted.letter)}] })`
      : `letters.retry({ run: ${text(wanted.run)} })`,
  "retry all": ({ filters }) => `letters.retry(${JSON.stringify(filters)})`,
  "list breakers": () => "breakers.list()",
  reset: ({ breaker }) => `breakers.reset(${text(breaker)})`,
  // A person looks after those, at a terminal.
  "list workers": () => null,
  prune: () => "prune()",
  examine: () => "doctor()",
  reindex: () => "doctor({ reindex: true })",
  "start servers": () => "doctor({ file, start: true })",
};

const GIVES: { readonly [What in Given["what"]]: (given: Extract<Given, { readonly what: What }>) => string } = {
  input: ({ name, example }) => `inputs: { ${text(name)}: ${example ?? "VALUE"} }`,
  gate: () => "`gate`",
  home: () => "`openStore(folder)` or SEGNO_HOME",
  provider: () => "`provider`",
  answer: ({ name }) => `answers: { ${text(name)}: … }`,
  option: ({ name, value }) =>
    `\`${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}\`${value === undefined ? "" : ` ${text(value)}`}`,
};

export const LIBRARY_USER: Reader = {
  ask: (wanted) => ASKS[wanted.to](wanted as never),
  give: (given) => GIVES[given.what](given as never),
};

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

export const CLIENT_USER: Reader = {
  ask: (wanted) =>
    LIBRARY_USER.ask(wanted)?.replace(/^([a-z]+)(?=[.(])/, (name) => ON_CLIENT[name] ?? `segno.${name}`) ?? null,
  give: (given) => (given.what === "home" ? "the `store` of createSegno, or SEGNO_HOME" : LIBRARY_USER.give(given)),
};
