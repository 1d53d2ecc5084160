// Evals that were made: as a page shows them, and compared with a later one: rows that flipped, what changed in cost
// and kinds, and whether it is significantly worse.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { byName } from "../../base/redact/index.ts";
import { refusal } from "../../services/refusals.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import { shownPath } from "../../services/session/files.ts";
import { homeOf } from "../../services/session/home.ts";
import { isBelow } from "../../services/session/path-inside.ts";
import type { Session } from "../../services/session/session.ts";
import { type EvalFolder, type EvalPlan, evalsIn } from "./eval-store.ts";
import {
  type Difference,
  differencesBetween,
  type EvalRow,
  sharesByRow,
  summaryOf,
  type VariantSummary,
} from "./summary.ts";

export interface ShownEval extends Pick<EvalPlan, "name" | "started_at" | "commit"> {
  readonly eval_id: string;
  readonly file: string;
  readonly workflow: string;
  /** Null: it was not finished. */
  readonly ended_at: string | null;
  readonly planned: number;
  readonly done: number;
  readonly summary: readonly VariantSummary[];
  readonly problems: readonly string[];
}

export interface WholeEval extends ShownEval {
  readonly rows: readonly Omit<EvalRow, "tokens" | "tags" | "errors" | "grading_usd">[];
  readonly differences: readonly Difference[];
}

/** Newest first. */
export const evalsShown = (session: Session): readonly ShownEval[] =>
  evalsBelow(session).map(({ folder, plan }) => {
    const { rows: _, differences: _differences, ...shown } = whole(folder, plan, session);
    return shown;
  });

export const hasEvals = (session: Session): boolean => evalsBelow(session).length > 0;

/** Nothing when there is none of that id, or when its files are elsewhere. */
export function evalShown(id: string, session: Session): WholeEval | undefined {
  const found = evalsBelow(session).find(({ plan }) => plan.id === id);
  return found && whole(found.folder, found.plan, session);
}

const evalsBelow = (session: Session): ReturnType<typeof evalsIn> =>
  evalsIn(homeOf(session)).filter(({ plan }) => [plan.file, plan.workflow].every((file) => isBelow(file, session.cwd)));

function whole(folder: EvalFolder, plan: EvalPlan, { cwd, env }: Session): WholeEval {
  const variants = plan.variants.map(({ name }) => name);
  const rows = folder.rows(plan);
  const end = folder.result();
  return environmentRedactor(env).answer({
    eval_id: plan.id,
    name: plan.name,
    file: shownPath(plan.file, cwd),
    workflow: shownPath(plan.workflow, cwd),
    started_at: plan.started_at,
    ended_at: end?.ended_at ?? null,
    commit: plan.commit,
    planned: plan.runs.length,
    done: rows.length,
    summary: byName(summaryOf(variants, rows, plan.repeat)),
    problems: (end?.answer as Pick<ShownEval, "problems"> | undefined)?.problems ?? [],
    // Grades say what they found in an output.
    rows: rows.map(({ tokens: _, tags: _tags, errors: _errors, grading_usd: _grading, ...row }) => row),
    differences: byName(differencesBetween(variants, rows)),
  });
}

export interface Compared {
  readonly rows: readonly EvalRow[];
  readonly summary: readonly VariantSummary[];
}

export interface VariantComparison {
  readonly variant: string;
  readonly was: number | null;
  readonly now: number | null;
  /** Rows that passed more often than now, and those that pass more often now. */
  readonly broken: readonly string[];
  readonly fixed: readonly string[];
  /** How likely so many more broken rows would be if nothing had changed. */
  readonly p: number;
  readonly significantly_worse: boolean;
  readonly cost_usd: { readonly was: number; readonly now: number };
  /** Kinds that came more or less often. */
  readonly errors: Readonly<Record<string, { readonly was: number; readonly now: number }>>;
}

const SIGNIFICANT = 0.05;

export function compareEvals(before: Compared, after: Compared): readonly VariantComparison[] {
  const names = after.summary.map(({ variant }) => variant);
  return names.flatMap((variant) => {
    const was = before.summary.find((one) => one.variant === variant);
    const now = after.summary.find((one) => one.variant === variant);
    if (!was || !now) return [];
    const shares = ({ rows }: Compared) => sharesByRow(rows.filter((row) => row.variant === variant));
    const [old, present] = [shares(before), shares(after)];
    const both = [...present.keys()].filter((id) => old.has(id));
    const broken = both.filter((id) => (present.get(id) ?? 0) < (old.get(id) ?? 0));
    const fixed = both.filter((id) => (present.get(id) ?? 0) > (old.get(id) ?? 0));
    const p = signTest(broken.length, fixed.length);
    return [
      {
        variant,
        was: was.rate,
        now: now.rate,
        broken,
        fixed,
        p,
        significantly_worse: broken.length > fixed.length && p < SIGNIFICANT,
        cost_usd: { was: was.cost_usd, now: now.cost_usd },
        errors: changedCounts(was.errors, now.errors),
      },
    ];
  });
}

/** One-sided, of the rows that changed at all: half of them would be broken if it were chance. */
export function signTest(broken: number, fixed: number): number {
  const count = broken + fixed;
  if (count === 0) return 1;
  let term = 0.5 ** count;
  let sum = 0;
  for (let k = 0; k <= count; k += 1) {
    if (k >= broken) sum += term;
    term *= (count - k) / (k + 1);
  }
  return Math.min(1, Math.round(sum * 1e6) / 1e6);
}

function changedCounts(
  was: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): VariantComparison["errors"] {
  const kinds = [...new Set([...Object.keys(was), ...Object.keys(now)])].sort();
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const counts = { was: was[kind] ?? 0, now: now[kind] ?? 0 };
      return counts.was === counts.now ? [] : [[kind, counts]];
    }),
  );
}

interface Named {
  readonly cwd: string;
  readonly home: string;
  readonly file: string;
  /** The eval that is compared: not with itself. */
  readonly id: string | null;
}

/** A JSON result, the id of an eval, or a revision of git: then the newest eval of the file that was made there. */
export function earlierEval(name: string, { cwd, home, file, id }: Named): Compared {
  const path = resolve(cwd, name);
  if (existsSync(path)) return resultIn(path, name);
  const done = evalsIn(home).flatMap(({ folder, plan }) => {
    const answer = plan.file === file && plan.id !== id ? folder.result()?.answer : undefined;
    return answer ? [{ plan, answer: answer as Compared }] : [];
  });
  const named = done.find(({ plan }) => plan.id === name);
  if (named) return named.answer;
  const commit = commitOf(name, file);
  if (commit === undefined)
    throw refusal(
      `${JSON.stringify(name)} is neither a file with a result, nor the id of an eval, nor a revision of git`,
    );
  const there = done.find(({ plan }) => plan.commit === commit);
  if (!there)
    throw refusal(
      `there is no eval of ${shownPath(file, cwd)} at ${name} (${commit.slice(0, 9)}): run it there first, or name the file with its JSON result`,
    );
  return there.answer;
}

function resultIn(path: string, name: string): Compared {
  try {
    const value: unknown = parseJson(readFileSync(path, "utf8"));
    if (isMapping(value) && Array.isArray(value.rows) && Array.isArray(value.summary)) return value as never;
  } catch (problem) {
    throw refusal(`${name} is no result of an eval: ${(problem as Error).message}`);
  }
  throw refusal(
    `${name} is no result of an eval: it has no \`rows\` and \`summary\`. Make one with --output-format json`,
  );
}

/** Undefined: there is no git, or no such revision. */
export function commitOf(revision: string, file: string): string | undefined {
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
    const said = execFileSync("git", args, { cwd: dirname(file), stdio: ["ignore", "pipe", "ignore"] });
    return said.toString("utf8").trim();
  } catch {
    return undefined;
  }
}
