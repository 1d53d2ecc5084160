// The rows of an eval, from a file: JSON lines, a JSON list, or a table with a header. Every mistake has its line.
import { isMapping } from "../../base/errors/mapping.ts";
import { endOfString, parseJson, UnusableJson } from "../../base/json/bounded.ts";
import type { Finding, LoadWorld, Location } from "../../language/loaded.ts";
import { linesOf } from "../../language/tree.ts";
import { readRegularFile } from "../../services/session/path-inside.ts";

export interface DatasetRow {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly tags: readonly string[];
  /** A past run that answers for what is not live. */
  readonly run?: string;
}

export interface PlacedRow extends DatasetRow {
  readonly place: Location;
}

const FIELDS = ["id", "inputs", "expected", "tags", "run"];

export function readDataset(file: string, named: Location, read: LoadWorld["read"] = readRegularFile) {
  let text: string;
  try {
    text = Buffer.from(read(file))
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (problem) {
    return { rows: [], findings: [wrong(`The dataset cannot be read: ${(problem as Error).message}.`, named)] };
  }
  const findings: Finding[] = [];
  const rows: PlacedRow[] = [];
  const ids = new Map<string, Location>();
  for (const { value, place, problem } of written(file, text)) {
    const row = problem === undefined ? rowOf(value, place, rows.length + 1) : problem;
    if (typeof row === "string") {
      findings.push(wrong(row, place));
      continue;
    }
    const before = ids.get(row.id);
    if (before) findings.push(wrong(`Another row, in line ${before.line}, has the id ${row.id} too.`, place));
    ids.set(row.id, place);
    rows.push(row);
  }
  if (rows.length === 0 && findings.length === 0)
    findings.push(wrong("The dataset has no rows.", { file, line: 1, column: 1 }));
  return { rows, findings };
}

const wrong = (message: string, location: Location): Finding => ({
  rule: "dataset",
  severity: "error",
  message,
  location,
  suggestions: [],
});

interface Written {
  readonly value?: unknown;
  readonly place: Location;
  readonly problem?: string;
}

function written(file: string, text: string): readonly Written[] {
  if (/\.jsonl$|\.ndjson$/.test(file)) return lines(file, text);
  if (/\.csv$/.test(file)) return table(file, text);
  if (/\.json$/.test(file)) return list(file, text);
  const place = { file, line: 1, column: 1 };
  return [{ place, problem: "A dataset is a .jsonl, .csv or .json file." }];
}

function lines(file: string, text: string): readonly Written[] {
  return text.split("\n").flatMap((line, index): Written[] => {
    if (line.trim() === "") return [];
    const place = { file, line: index + 1, column: 1 };
    const { value, problem, at = 0 } = parsedRow(line, "This line", "a row is one JSON object in a line");
    return [problem === undefined ? { value, place } : { place: { ...place, column: at + 1 }, problem }];
  });
}

function list(file: string, text: string): readonly Written[] {
  const placeIn = linesOf(text);
  const placeOf = (offset: number): Location => ({ file, ...placeIn.at(offset) });
  const { value, problem, at = 0 } = parsedRow(text, "This", "a .json dataset is a list of rows");
  if (problem !== undefined) return [{ place: placeOf(at), problem }];
  if (!Array.isArray(value)) return [{ place: placeOf(0), problem: "A .json dataset is a list of rows." }];
  const starts = itemStarts(text);
  return value.map((item: unknown, index) => ({ value: item, place: placeOf(starts[index] ?? 0) }));
}

interface ParsedRow {
  readonly value?: unknown;
  readonly problem?: string;
  /** Where it is no JSON any more. */
  readonly at?: number;
}

/** Not the parser's own words, which quote the text: the file may be any, also one that holds a secret. */
function parsedRow(text: string, what: string, wanted: string): ParsedRow {
  try {
    return { value: parseJson(text) };
  } catch (problem) {
    if (problem instanceof UnusableJson) return { problem: `${what} cannot be used: ${problem.message}.` };
    const { message } = problem as Error;
    return { at: Number(/position (\d+)/.exec(message)?.[1] ?? 0), problem: `${what} is no JSON: ${wanted}.` };
  }
}

/** Where the items of a list begin, in the text of valid JSON. */
function itemStarts(text: string): readonly number[] {
  const starts: number[] = [];
  let level = 0;
  let isNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (isNext && !/[\s\]]/.test(character)) {
      starts.push(at);
      isNext = false;
    }
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "[" || character === "{") isNext = ++level === 1;
    else if (character === "]" || character === "}") level -= 1;
    else if (character === "," && level === 1) isNext = true;
  }
  return starts;
}

/** `id`, `tags`, `run`, `expected` and `expected.FIELD` are what they say; every other column is an input. */
function table(file: string, text: string): readonly Written[] {
  const [header, ...records] = csvRecords(text);
  const place = { file, line: 1, column: 1 };
  if (!header) return [];
  const [unclosed] = [header, ...records].filter(({ isOpen }) => isOpen);
  if (unclosed)
    return [
      {
        place: { ...place, line: unclosed.line },
        problem: 'A quoted field that begins in this line has no end: close it with ".',
      },
    ];
  const names = header.fields.map((name) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return [{ place, problem: `Two columns are called ${twice}.` }];
  return records.map(({ fields, line }): Written => {
    const there = { file, line, column: 1 };
    if (fields.length !== names.length)
      return { place: there, problem: `This line has ${fields.length} fields, and the header ${names.length}.` };
    const inputs: Record<string, unknown> = {};
    const parts: Record<string, unknown> = {};
    const row: Record<string, unknown> = { inputs };
    for (const [index, name] of names.entries()) {
      const value = fields[index] ?? "";
      if (name === "id" || name === "run") row[name] = value === "" ? undefined : value;
      else if (name === "tags")
        row.tags = value
          .split(/[;,|]/)
          .map((tag) => tag.trim())
          .filter(Boolean);
      else if (name === "expected") row.expected = value;
      else if (name.startsWith("expected.")) parts[name.slice("expected.".length)] = value;
      else if (value !== "") inputs[name.replace(/^inputs\./, "")] = value;
    }
    return { value: Object.keys(parts).length > 0 ? { ...row, expected: parts } : row, place: there };
  });
}

interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
  /** A quote in it has no end. */
  readonly isOpen: boolean;
}

function csvRecords(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let [line, began] = [1, 1];
  const end = (): void => {
    fields.push(field);
    if (fields.length > 1 || field !== "") records.push({ fields, line: began, isOpen: isQuoted });
    fields = [];
    field = "";
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\n") line += 1;
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || field === "")) isQuoted = !isQuoted;
    else if (isQuoted) field += character;
    else if (character === ",") {
      fields.push(field);
      field = "";
    } else if (character === "\n") {
      end();
      began = line;
    } else if (character !== "\r") field += character;
  }
  end();
  return records;
}

function rowOf(value: unknown, place: Location, number: number): PlacedRow | string {
  if (!isMapping(value)) return "A row is a mapping: {id, inputs, expected, tags}.";
  const stranger = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (stranger !== undefined)
    return `A row has no field \`${stranger}\`; it has ${FIELDS.join(", ")}. What the workflow takes stands under inputs.`;
  const { id = String(number), inputs = {}, expected = null, tags = [], run } = value;
  if (typeof id !== "string" && typeof id !== "number") return "The id of a row is a text or a number.";
  if (!isMapping(inputs)) return "`inputs` of a row is a mapping.";
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string")) return "`tags` of a row is a list of texts.";
  if (run !== undefined && typeof run !== "string") return "`run` of a row is the id of a run.";
  return { id: String(id), inputs, expected, tags: tags as string[], ...(run === undefined ? {} : { run }), place };
}
