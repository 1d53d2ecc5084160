// Dead letters: steps and items that failed for good and were kept.
import type { Head, Result } from "../results/result.ts";
import { calledAs } from "./called-as.ts";
import { DRIVING, drivingOf } from "./driving.ts";
import type { StoreOptions } from "./options.ts";
import type { DriveOptions, RunOptions } from "./run-options.ts";
import { given, STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

/** Which letters are meant; all when nothing is said. */
export interface LetterSelection {
  /** Ids, or beginnings of ids that only one letter has. */
  readonly ids?: readonly string[];
  /** A kind, or a pattern with `*`. */
  readonly kind?: string;
  readonly workflow?: string;
  readonly run?: string;
  /** `1d`, `2h`: last seen no longer ago than that. */
  readonly since?: string;
}

export interface Letter {
  readonly id: string;
  readonly status: "open" | "retrying" | "resolved" | "dropped";
  readonly kind: string;
  readonly message: string;
  readonly run_id: string;
  readonly workflow: string;
  readonly file: string;
  readonly node_id: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly group?: string;
  readonly item_key?: string;
  /** How often the step ran before it was given up, and how often it was given up. */
  readonly attempts: number;
  readonly count: number;
  readonly first_seen: string;
  readonly last_seen: string;
  /** Who retried or dropped it, oldest first; absent until then. */
  readonly acts?: readonly { readonly what: "retried" | "dropped"; readonly by: string; readonly at: string }[];
}

/** All that is known of a letter. */
export interface WholeLetter extends Letter {
  readonly item?: unknown;
  readonly inputs?: unknown;
  readonly envelope: unknown;
  readonly history: readonly unknown[];
  readonly definition_hash: string;
  /** Whether the workflow's files are as they were when the letter was written. */
  readonly workflow_file: "unchanged" | "changed" | "gone";
}

export interface LettersAnswer<One extends Letter = Letter> extends Head {
  readonly letters: readonly One[];
}

/** The result of the run that was driven on; of the worst, when there were several. Only a head when there was nothing to retry. */
export interface RetryAnswer extends Head, Partial<Omit<Result, keyof Head>> {
  readonly letters: readonly Letter[];
  readonly results?: readonly Result[];
}

const SELECTION: readonly string[] = ["ids", "kind", "workflow", "run", "since"] satisfies (keyof LetterSelection)[];

const selected = ({ ids, kind, workflow, run, since }: LetterSelection) => given({ ids, kind, workflow, run, since });

async function list(options: StoreOptions & LetterSelection & { readonly all?: boolean } = {}): Promise<LettersAnswer> {
  await checkGiven("letters.list", options, [...STANDING, ...SELECTION, "all"]);
  const { listLetters } = await import("../services/letters/letters.ts");
  const { all } = options;
  return listLetters(standingOf(options), { ...selected(options), ...given({ all }) });
}

async function show(id: string, options: StoreOptions = {}): Promise<LettersAnswer<WholeLetter>> {
  checkText(calledAs(options, "letters.show"), "the id of a letter", id);
  await checkGiven("letters.show", options, STANDING);
  const { showLetter } = await import("../services/letters/letters.ts");
  return showLetter(standingOf(options), { id });
}

async function retry(
  selection: LetterSelection,
  options: DriveOptions & Pick<RunOptions, "maxIterations"> = {},
): Promise<RetryAnswer> {
  await checkGiven("letters.retry", selection, SELECTION);
  await checkGiven("letters.retry", options, [...DRIVING, "maxIterations"]);
  const { retryLetters } = await import("../services/letters/letters.ts");
  const { session, asked } = await drivingOf(options);
  return retryLetters(session, { ...asked, ...selected(selection), staysBehindGates: true });
}

async function drop(selection: LetterSelection, options: StoreOptions = {}): Promise<LettersAnswer> {
  await checkGiven("letters.drop", selection, SELECTION);
  await checkGiven("letters.drop", options, STANDING);
  const { dropLetters } = await import("../services/letters/letters.ts");
  return dropLetters(standingOf(options), { ...selected(selection) });
}

/**
 * Dead letters: `list` them, `show` one, `retry` exactly the failed steps and items in their runs, or `drop` them.
 *
 * @example
 * const { letters: open } = await letters.list({ kind: "http.*", since: "1d" });
 * console.log(open.map(({ node_id, item_key, message }) => `${node_id} ${item_key ?? ""}: ${message}`));
 * const { success } = await letters.retry({ kind: "http.*" });
 *
 * @deprecated Use `segno.letters` of a client, which `createSegno` makes.
 */
export const letters = { list, show, retry, drop };
