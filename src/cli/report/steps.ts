// The steps of a result as a tree: sign, name, how long, how often, and what it raised.
import type { StepReport } from "../../results/result.ts";
import type { Colors } from "../output.ts";
import { paint, STATUS_GLYPHS } from "../text/glyphs.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { duration, money } from "../text/time.ts";
import { pad, widthOf } from "../text/width.ts";

/** Members of one group that are shown one by one; those that failed always are. */
const SHOWN = 20;

interface Line {
  readonly left: string;
  readonly right: string;
}

export function stepLines(steps: readonly StepReport[], colors: Colors): readonly string[] {
  const lines = below(steps, 0, colors);
  const widest = Math.min(Math.max(0, ...lines.map(({ left }) => widthOf(left))), 60);
  return lines.map(({ left, right }) => `${pad(left, widest)}  ${right}`.trimEnd());
}

function below(steps: readonly StepReport[], depth: number, colors: Colors): readonly Line[] {
  const shown =
    steps.length <= SHOWN ? steps : steps.filter((step, index) => index < SHOWN / 2 || step.status === "failed");
  const lines = shown.flatMap((step) => [lineOf(step, depth, colors), ...below(step.steps ?? [], depth + 1, colors)]);
  const hidden = steps.length - shown.length;
  return hidden > 0
    ? [...lines, { left: `${"  ".repeat(depth + 1)}${colors.dim(`and ${hidden} more`)}`, right: "" }]
    : lines;
}

function lineOf(step: StepReport, depth: number, colors: Colors): Line {
  const glyph = STATUS_GLYPHS[step.status];
  const name = plainLineOf(step.item_key === undefined ? step.node_id : `${step.node_id}[${step.item_key}]`);
  const ran = step.status !== "not_executed";
  const facts = [
    step.duration_ms === null || step.cached ? "" : duration(step.duration_ms),
    step.cached && "reused",
    step.repaired && "changed since it last ran",
    step.attempts > 1 && `${step.attempts} attempts`,
    step.cost_usd && money(step.cost_usd),
    (step.status === "cancelled" || step.status === "paused" || step.status === "running") && step.status,
    !ran && "did not run",
  ].filter(Boolean);
  const kind = step.kind
    ? `${paint(step.status === "failed" ? "bad" : "warn", plain(step.kind), colors)}${step.status === "recovered" ? colors.dim(", handled") : ""}`
    : "";
  return {
    left: `${"  ".repeat(depth)}${paint(glyph.tone, glyph.sign, colors)} ${ran ? name : colors.dim(name)}`,
    right: [colors.dim(facts.join(", ")), kind].filter((part) => widthOf(part) > 0).join("  "),
  };
}
