// `--reporter`: what commands found, for other programs: checks, each with what was found. A validated file, the errors of a
// step, a scenario, a past run are checks.
import { isAbsolute, resolve } from "node:path";
import { pathWithin } from "../../../../base/errors/path-within.ts";
import { atPlace } from "../../../../base/results/entry.ts";
import type { Entry, Head, Place } from "../../../../base/results/result.ts";
import { ruleText } from "../../../../services/workflows/validate.ts";
import type { Call } from "../../command.ts";
import { jsonText, plain, plainLineOf, withoutHashCommands } from "../../text/harmless.ts";

export interface ReportedFinding {
  readonly level: "error" | "warning";
  /** The rule, or the word that groups notes of this sort. */
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
}

export interface ReportedCheck {
  /** What it belongs to: the workflow's file. */
  readonly suite: string;
  readonly name: string;
  readonly notes: readonly ReportedFinding[];
  /** Why it was not made. */
  readonly skipped?: string;
  readonly duration_ms?: number;
}

/** Warnings are reported and fail nothing; `--strict` has made errors of them before they come here. */
const failuresOf = ({ notes }: ReportedCheck): readonly ReportedFinding[] =>
  notes.filter(({ level }) => level === "error");

/** A sentence with its place, for formats that have no field for it. */
const placed = ({ message, place }: ReportedFinding): string => atPlace(place, message);

/** The findings of an answer. */
export function notesOf(errors: readonly Entry[], warnings: readonly Entry[]): readonly ReportedFinding[] {
  const noted =
    (level: ReportedFinding["level"]) =>
    ({ rule, category, message, location: place }: Entry): ReportedFinding => ({
      level,
      rule: rule ?? category ?? "segno",
      message,
      place,
    });
  return [...errors.map(noted("error")), ...warnings.map(noted("warning"))];
}

/** JUnit XML, as most CI systems read it. */
function junit(checks: readonly ReportedCheck[]): string {
  const seconds = checks.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0) / 1000;
  const failed = checks.filter((check) => check.skipped === undefined && failuresOf(check).length > 0).length;
  const skipped = checks.filter((check) => check.skipped !== undefined).length;
  const counts = `tests="${checks.length}" failures="${failed}" skipped="${skipped}" time="${seconds}"`;
  const cases = checks.map(
    (check) =>
      `  <testcase classname="${xml(check.suite)}" name="${xml(check.name)}" time="${(check.duration_ms ?? 0) / 1000}">${inside(check)}</testcase>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="segno" ${counts}>\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`;
}

function inside(check: ReportedCheck): string {
  if (check.skipped !== undefined) return `<skipped message="${xml(check.skipped)}"/>`;
  const failures = failuresOf(check);
  const warnings = check.notes.filter((note) => !failures.includes(note));
  return [
    ...failures.map((note) => `<failure type="${xml(note.rule)}" message="${xml(placed(note))}"/>`),
    ...(warnings.length === 0 ? [] : [`<system-out>${xml(warnings.map(placed).join("\n"))}</system-out>`]),
  ].join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // As they are, they would be read as spaces, and let a name begin a line of the log.
  "\n": "&#10;",
  "\t": "&#9;",
};

/** XML has no way to write most control characters, not even escaped. */
const xml = (text: string): string =>
  withoutHashCommands(
    plain(text).replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? ""),
    "&#35;",
  );

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** SARIF 2.1.0, for code scanning: one run, the rules that spoke, a result for each note. */
function sarif(checks: readonly ReportedCheck[], version: string): string {
  const notes = checks.flatMap((check) => check.notes);
  const rules = [...new Set(notes.map(({ rule }) => rule))];
  const result = ({ level, rule, message, place }: ReportedFinding): object => ({
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level,
    message: { text: message },
    ...(place ? { locations: [{ physicalLocation: physical(place) }] } : {}),
  });
  const driver = { name: "Segno", semanticVersion: version, rules: rules.map(ruleOf) };
  const run = { tool: { driver }, columnKind: "utf16CodeUnits", results: notes.map(result) };
  return `${jsonText({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, 2)}\n`;
}

function ruleOf(id: string): object {
  const text = ruleText(id);
  if (!text) return { id };
  const { description, example } = text;
  const help = example === undefined ? description : `${description}\n\nFor example:\n\n${example}`;
  return { id, shortDescription: { text: description }, help: { text: help } };
}

const physical = ({ file, line, column }: Place): object => ({
  artifactLocation: { uri: uriOf(file) },
  region: { startLine: line, startColumn: column },
});

/** A path as a reference to a file: relative ones stay relative, so that a scanner finds them in the checkout. */
const uriOf = (file: string): string => {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${path}` : path;
};

/** TAP 14: a line for each check, with what was found under it. */
function tap(checks: readonly ReportedCheck[]): string {
  const lines = checks.flatMap((check, index) => {
    const { name, skipped, duration_ms, notes } = check;
    const failures = failuresOf(check);
    const verdict = `${failures.length === 0 ? "ok" : "not ok"} ${index + 1} - ${tapText(name)}`;
    if (skipped !== undefined) return [`${verdict} # SKIP ${withoutHashCommands(plainLineOf(skipped))}`];
    const facts = [
      ...(duration_ms === undefined ? [] : [`  duration_ms: ${duration_ms}`]),
      ...listed("problems", failures.map(placed)),
      ...listed("warnings", notes.filter((note) => !failures.includes(note)).map(placed)),
    ];
    return facts.length === 0 ? [verdict] : [verdict, "  ---", ...facts, "  ..."];
  });
  return `${["TAP version 14", `1..${checks.length}`, ...lines].join("\n")}\n`;
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`  ${title}:`, ...texts.map((text) => `    - ${jsonText(text)}`)];

/** A name that went over a line could write the next check's verdict. */
const tapText = (name: string): string => plainLineOf(name).replace(/[\\#]/g, "\\$&");

/** Where a command was called: GitHub takes every path for one from the top of the checkout. */
interface Called {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Unchanged where GITHUB_WORKSPACE is not set, and for files outside of it. */
function inCheckout(checks: readonly ReportedCheck[], { cwd, env }: Called): readonly ReportedCheck[] {
  const top = env.GITHUB_WORKSPACE;
  if (!top || !isAbsolute(top)) return checks;
  const fromTop = (file: string): string => pathWithin(top, resolve(cwd, file)) || file;
  return checks.map((check) => ({
    ...check,
    notes: check.notes.map((note) =>
      note.place ? { ...note, place: { ...note.place, file: fromTop(note.place.file) } } : note,
    ),
  }));
}

/** Annotations of GitHub Actions: workflow commands that it shows at the line. */
const github = (checks: readonly ReportedCheck[]): string =>
  checks.flatMap(({ notes }) => notes.map((note) => `${annotation(note)}\n`)).join("");

function annotation({ level, rule, message, place }: ReportedFinding): string {
  const at = place ? [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`] : [];
  return `::${level} ${[...at, `title=${property(rule)}`].join(",")}::${data(message)}`;
}

/** A line break would end the command and let the text begin one of its own. */
const data = (text: string): string =>
  withoutHashCommands(plain(text)).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

const REPORTERS = { github, sarif, junit, tap } as const;

type Reporter = keyof typeof REPORTERS;

const isReporter = (name: string | undefined): name is Reporter => name !== undefined && Object.hasOwn(REPORTERS, name);

/** Hands an answer over: the object, or what a reporter makes of its checks, or what `show` writes. */
export function answerReported(
  answer: Head,
  { asked, output, version }: Call,
  checks: () => readonly ReportedCheck[],
  show: () => void,
): number {
  const report = reported(asked.text("reporter"), checks, { version, asked });
  if (output.format !== "text") output.json(answer);
  else if (report !== undefined) output.report(report);
  else show();
  return answer.exit_code ?? 1;
}

/** The text that this reporter makes of the checks; undefined for `text`, which each command shows in its own way. */
export function reported(
  name: string | undefined,
  checks: () => readonly ReportedCheck[],
  { version, asked }: { readonly version: string; readonly asked: Called },
): string | undefined {
  if (!isReporter(name)) return undefined;
  const isForService = name === "github" || name === "sarif";
  return REPORTERS[name](isForService ? inCheckout(checks(), asked) : checks(), version);
}
