// What is known of a run beside how it stands: its name, the eval that it is a row of, digests of its inputs, its figures.
// In a table beside `runs`: workers of the version before ask for whole rows of that. Names and figures are sealed.
import { figuresPart, keptText, textKept } from "../../../storage/rows/columns.ts";
import { inputMarks, wantedMarks } from "../../../storage/rows/input-marks.ts";
import type { FiguresPart, RunFacts } from "../../../storage/run-index.ts";
import { MARK, type Seal, type SealedPlace } from "../../../storage/state/seal.ts";
import { numbered, type Sql, type SqlParameter } from "../../../storage/state/sql.ts";
import { StoreError } from "../../../storage/store-error.ts";

const COLUMNS = ["name", "eval_id", "rehearsal", "input_marks"] as const;

/** SQL: keeps the facts of the run `$1` where the condition holds; the values of `valuesOfFacts` are `$from` and those after it. */
export const keepFacts = (from: number, condition: string): string =>
  `insert into segno.run_facts as known (run_id, ${COLUMNS.join(", ")}, figures)
   select $1::text, $${from}::text, $${from + 1}::text, $${from + 2}::boolean, $${from + 3}::text, $${from + 4}::text where ${condition}
   on conflict (run_id) do update set ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")},
     figures = coalesce(excluded.figures, known.figures)`;

export function valuesOfFacts(seal: Seal, runId: string, facts: RunFacts): readonly (string | boolean | null)[] {
  const { name = null, evalId = null, isRehearsal = false, inputs = {}, figures } = facts;
  return [
    name === null ? null : seal.close(keptText(name), placeOf(runId, "name")),
    evalId,
    isRehearsal,
    inputMarks(inputs, seal.isSealed ? (text) => sealedDigests(seal, text)[0] ?? "" : undefined),
    figures === undefined ? null : seal.close(JSON.stringify(figures), placeOf(runId, "figures")),
  ];
}

/** Of a run that begins: there is no row yet, and most runs need one. */
export const keepingFacts = (seal: Seal, runId: string, facts: RunFacts, condition: string): Sql =>
  numbered(keepFacts(2, condition), [runId, ...valuesOfFacts(seal, runId, facts)]);

const placeOf = (runId: string, what: "name" | "figures"): SealedPlace => [runId, what];

const sealedDigests = (seal: Seal, text: string): readonly string[] => seal.digests(text, ["input"]);

/** Null where it cannot be read here: the run is listed all the same. */
export const nameKept = (seal: Seal, runId: string, name: string | null): string | null =>
  name === null ? null : (openedHere(seal, name, placeOf(runId, "name"), textKept) ?? null);

function openedHere<Value>(
  seal: Seal,
  text: string,
  place: SealedPlace,
  read: (text: string) => Value,
): Value | undefined {
  try {
    return read(seal.open(text, place));
  } catch (problem) {
    if (problem instanceof StoreError) return undefined;
    throw problem;
  }
}

/** Conditions on the facts `f` of a run: it was given all of these inputs. `parameter` adds a value, and gives its place. */
export const inputConditions = (
  seal: Seal,
  inputs: Readonly<Record<string, string>>,
  parameter: (value: SqlParameter) => string,
): readonly string[] =>
  wantedMarks(inputs, seal.isSealed ? (text) => sealedDigests(seal, text) : undefined).map(
    (marks) => `(${marks.map((mark) => `strpos(f.input_marks, ${parameter(mark)}) > 0`).join(" or ")})`,
  );

/** Of a run `r` what its row has of its end, as JSON: `EndedRow`. */
const ENDED_ROW = "json_build_array(r.status, r.exit_code, r.duration_ms, r.cost_usd, r.failing_kind)::text";

export interface FactsRow {
  readonly workflow: string;
  readonly file: string;
  readonly runs: string;
  readonly last: string;
  /** A line for each run: its id, its end, and its figures, if they are kept. */
  readonly lines: string;
}

/** SQL: the figures of the runs that `where` leaves, by workflow, as one text for each. */
export const figuresOfRuns = (where: string): string =>
  `select workflow, file, count(*) as runs, min(run_id) as last, string_agg(line, chr(10)) as lines from (
     select r.run_id, r.workflow, r.file,
       case when f.figures is null then ${ENDED_ROW} when starts_with(f.figures, '${MARK}')
         then r.run_id || chr(9) || ${ENDED_ROW} || chr(9) || f.figures else f.figures end as line
     from segno.runs r left join segno.run_facts f on f.run_id = r.run_id ${where}
   ) ended group by workflow, file`;

/** What is sealed with a key that is not here counts by its row alone. */
export const figuresKept = (seal: Seal, rows: readonly FactsRow[], limit: number | undefined): FiguresPart =>
  figuresPart(
    rows.map(({ lines, ...row }) => ({
      ...row,
      workflow: textKept(row.workflow),
      file: textKept(row.file),
      figures: `[${seal.isSealed || lines.includes(MARK) ? lines.split("\n").map((line) => opened(seal, line)) : lines.replaceAll("\n", ",")}]`,
    })),
    limit ?? -1,
  );

function opened(seal: Seal, line: string): string {
  const [runId = "", ended = "", figures] = line.split("\t");
  if (figures === undefined) return line;
  return openedHere(seal, figures, placeOf(runId, "figures"), (text) => text) ?? ended;
}
