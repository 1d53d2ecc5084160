// The steps of a result as a tree: sign, name, how long, how often, and what it raised.

import type { ListedChanges } from "../../../base/events/step-files.ts";
import type { StepReport } from "../../../base/results/result.ts";
import type { Colors } from "../output.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount, GLYPHS, itemName, money, paint, STATUS_GLYPHS, signOf, tookAtLeast } from "../text/phrases.ts";
import { pad, widthOf } from "../text/width.ts";

/** Members of one group that are shown one by one; those that failed always are. */
const SHOWN = 20;

export interface Line {
  readonly left: string;
  readonly right: string;
}

/** A line that has nothing on its right. */
export const leftOnly = (depth: number, text: string): Line => ({ left: `${"  ".repeat(depth)}${text}`, right: "" });

/** What is right begins in one column, which is `most` at most. */
export function aligned(lines: readonly Line[], most: number): readonly string[] {
  const widest = Math.min(Math.max(0, ...lines.map(({ left, right }) => (right === "" ? 0 : widthOf(left)))), most);
  return lines.map(({ left, right }) => `${pad(left, widest)}  ${right}`.trimEnd());
}

export const stepLines = (steps: readonly StepReport[], colors: Colors): readonly string[] =>
  aligned(below(steps, { depth: 0 }, colors), 60);

/** Where steps stand: how deep, and in which group. */
interface Spot {
  readonly depth: number;
  readonly group?: string;
}

function below(steps: readonly StepReport[], spot: Spot, colors: Colors): readonly Line[] {
  const { depth } = spot;
  const shown =
    steps.length <= SHOWN ? steps : steps.filter((step, index) => index < SHOWN / 2 || step.status === "failed");
  const lines = shown.flatMap((step) => [
    lineOf(step, spot, colors),
    ...(step.changes ? changedFileLines(step.changes, colors) : []).map((line) => leftOnly(depth + 2, line)),
    ...below(step.steps ?? [], { depth: depth + 1, group: step.node_id }, colors),
  ]);
  const hidden = steps.length - shown.length;
  return hidden > 0 ? [...lines, leftOnly(depth + 1, colors.dim(`and ${hidden} more`))] : lines;
}

/** Lost members are shown where they stand; a group that went on without them is no clean success either. */
const hasLost = ({ status, steps = [] }: StepReport): boolean =>
  status === "completed" && steps.some((member) => member.status === "failed");

function lineOf(step: StepReport, { depth, group }: Spot, colors: Colors): Line {
  const glyph =
    hasLost(step) || step.exit_code !== undefined
      ? GLYPHS.warning
      : STATUS_GLYPHS[step.cut_off ? "cut_off" : step.status];
  const name = plainLineOf(itemName({ ...step, group }));
  const ran = step.status !== "not_executed";
  const facts = [
    step.duration_ms !== null && tookAtLeast(step.duration_ms, step.cut_off),
    step.cached && "reused",
    step.repaired && "changed since it last ran",
    step.attempts > 1 && `${step.attempts} attempts`,
    step.cost_usd && money(step.cost_usd),
    step.changes && changedText(step.changes),
    step.cut_off && "was cut off",
    ((step.status === "cancelled" && !step.cut_off) || step.status === "paused" || step.status === "running") &&
      step.status,
    !ran && "did not run",
  ].filter(Boolean);
  const kind = step.kind
    ? `${paint(step.status === "failed" ? "bad" : "warn", plain(step.kind), colors)}${step.status === "recovered" ? colors.dim(", handled") : ""}`
    : "";
  const exited = step.exit_code === undefined ? "" : paint("warn", `exited with ${step.exit_code}`, colors);
  return {
    left: `${"  ".repeat(depth)}${signOf(glyph, colors)} ${ran ? name : colors.dim(name)}`,
    right: [colors.dim(facts.join(", ")), exited, kind].filter((part) => widthOf(part) > 0).join("  "),
  };
}

// What an agent changed in its folder, in `segno show` and `segno explain`: how much on the step's line, and the files below.

const FILES_SHOWN = 10;

export const changedText = (changes: ListedChanges): string =>
  `${amount(changes.files.length + (changes.more_files ?? 0), "file")} changed, +${changes.added} −${changes.removed}`;

/** A line for each file, without indentation. */
export function changedFileLines(
  { files, more_files = 0, incomplete }: ListedChanges,
  colors: Colors,
): readonly string[] {
  const shown = files.slice(0, FILES_SHOWN);
  const more = files.length - shown.length + more_files;
  return [
    ...shown.map(({ path, change, added, removed }) => {
      const lines = added === null || removed === null ? "" : ` +${added} −${removed}`;
      return colors.dim(`${SIGNS[change]} ${plainLineOf(path)}${lines}`);
    }),
    ...(more > 0 ? [colors.dim(`and ${more} more`)] : []),
    ...(incomplete ? [colors.dim("not all files of the folder were looked at")] : []),
  ];
}

const SIGNS = { added: "A", modified: "M", deleted: "D" } as const;
