// Where Segno answers otherwise than Conductor on purpose. Each is a row of docs/conductor.md, named by its first cell.
import { readNumber } from "../../../src/template/coerce.ts";
import { coerce, render } from "../../../src/template/index.ts";
import type { Answer, Case } from "./cases.ts";
import { type Difference, isSame } from "./differences.ts";
import type { SegnoAnswer } from "./segno-answer.ts";

export interface Met extends Difference {
  readonly from: Case;
  readonly answer: SegnoAnswer;
}

export interface Deliberate {
  /** The first cell of the row. */
  readonly row: string;
  /** Questions that show it, with what Segno answers in which field. */
  readonly shown?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether any other difference is of this kind. */
  readonly fits?: (met: Met) => boolean;
}

const status =
  (segno: Answer["status"], said: RegExp) =>
  ({ field, answer }: Met): boolean =>
    field === "status" && answer.status === segno && said.test(answer.message ?? "");

const inOutput = ({ field }: Met): boolean => field.startsWith("output.");
const isSet = ({ from }: Met): boolean => Object.values(from.files).some((text) => /type: set\b/.test(text));

/** As Python prints it, which also tells tuples from lists. */
const printed = (value: unknown): string => render("{{ value }}", { value });
const untupled = (text: string): string => text.replaceAll("(", "[").replaceAll(")", "]");

/** The same but for blanks and line ends. */
function isFolded(ours: unknown, theirs: unknown): boolean {
  if (typeof ours === "string" && typeof theirs === "string")
    return ours.replace(/\s+/g, " ").trim() === theirs.replace(/\s+/g, " ").trim();
  if (Array.isArray(ours) && Array.isArray(theirs))
    return ours.length === theirs.length && ours.every((item, index) => isFolded(item, theirs[index]));
  return isSame(ours, theirs);
}

const SPELLED = {
  a: "42",
  b: "4.20",
  c: "yes",
  d: "017",
  e: "1_000",
  f: "~",
  g: "2024-01-01",
  h: "12:30",
  i: "[a, b]",
  j: "{a: 1}",
  k: "1e3",
  l: "0o17",
  m: "0x1F",
  n: "TRUE",
  o: "None",
  p: "'quoted'",
  q: "off",
  r: ".5",
  s: "- x",
  t: "null",
};
const READ = { ...SPELLED, a: 42, o: null, t: null };

export const DELIBERATE: readonly Deliberate[] = [
  {
    row: "inputs that are missing, of the wrong type, or not declared",
    fits: status("refused", /^the input \S+ (must be|is missing)|^there is no input/),
  },
  { row: "a required input that `input_mapping` leaves out", fits: status("refused", /requires `.*does not give it/) },
  { row: "two items with the same key", fits: status("failed", /have the same key/) },
  { row: "`terminate` at `max_iterations`", shown: { "limit-terminate": { status: "terminated" } } },
  {
    row: "`terminate` whose reason, or the workflow's `output`, cannot be rendered",
    fits: ({ field, answer, from }) =>
      field === "status" && answer.status === "terminated" && from.conductor.error_class === "template",
  },
  { row: "`output:` of a route to another step", shown: { "route-output-not-end-undefined": { status: "completed" } } },
  { row: "a script's JSON with both `outputs` and `errors`", shown: { "duck-typed-group": { status: "refused" } } },
  {
    row: "text of a `set`",
    shown: {
      "set-auto-colon": { "output.c": "Note: 2 items", "output.m": "line one\nline two 3", "output.h": "x # comment" },
      "set-auto-literal": { "output.v": READ },
      "set-auto-expr": { "output.v": READ },
    },
    fits: (met) => inOutput(met) && isSet(met) && isFolded(met.segno, met.conductor),
  },
  {
    row: "text that spells a number",
    fits: (met) => inOutput(met) && typeof met.segno === "string" && readNumber(met.segno) === met.conductor,
  },
  {
    row: "`{{ x }}` alone, where x is a string",
    shown: { "set-auto-path": { "output.v": SPELLED } },
    fits: (met) => inOutput(met) && typeof met.segno === "string" && isSame(coerce(met.segno), met.conductor),
  },
  {
    row: "`{{ x }}` alone, where x is anything else",
    shown: {
      "set-values-native": {
        "output.v": { l: ["x", "it's"], d: { k: [1, null] }, n: null, b: false, e: "", t: "two\nlines" },
      },
    },
    fits: (met) =>
      inOutput(met) &&
      typeof met.segno === "object" &&
      typeof met.conductor === "string" &&
      printed(met.segno) === untupled(met.conductor),
  },
  {
    row: "`input_mapping`",
    shown: { "sub-mapping-coercion": { "output.r": { b: false, n: false, l: false, i: 6, j: 2, s: true } } },
  },
  { row: "whole floats", shown: { "script-json-spaces": { "output.f": "f=1" }, "out-numbers": { "output.d": 1e20 } } },
  {
    row: "integers over 2^53",
    shown: {
      "script-json-spaces": { "output.g": "b=12345678901234567168" },
      "out-numbers": { "output.g": "100000000000000000000" },
    },
  },
  {
    row: "order of keys that are whole numbers",
    shown: { "foreach-key-types": { "output.k": ["7", "True", "None", "1.5"] } },
  },
  { row: "`workflow.description`", shown: { "workflow-meta": { "output.v": "t True" } } },
  { row: "`count`, `failed`, `succeeded` of a group", shown: { "parallel-count-undefined": { "output.n": true } } },
  {
    row: "entries of `<group>.errors`",
    fits: ({ field, segno, conductor, from: { name } }) =>
      /-error-fields$/.test(name) &&
      field === "output.k" &&
      String(conductor)
        .split(",")
        .every((key) => String(segno).split(",").includes(key)),
  },
  { row: "`_key` without `key_by`", shown: { "foreach-no-key-var": { "output.o": ["True 0"] } } },
  { row: "what a gate gives", shown: { "gate-skip": { "output.k": "additional_input,choice,selected" } } },
  { row: "the text of a skipped gate", shown: { "gate-skip": { "output.z": 'y1 {"why": ""}' } } },
  {
    row: "dots and functions in a bare `when`",
    shown: { "when-bare-dotted-output": { status: "completed" }, "when-bare-len": { status: "completed" } },
  },
  { row: "`when` with statements alone (`{% if … %}`)", shown: { "when-statement-only": { status: "completed" } } },
];

/** The first that explains a difference. */
export const explains = (met: Met): Deliberate | undefined =>
  DELIBERATE.find(({ shown = {}, fits }) => {
    const answers = Object.hasOwn(shown, met.from.name) ? shown[met.from.name] : undefined;
    return (
      (answers !== undefined && met.field in answers && isSame(met.segno, answers[met.field])) || fits?.(met) === true
    );
  });
