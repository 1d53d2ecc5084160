// What ran, a line each: loops folded, groups counted, sub-workflows indented.
import { requestLine } from "../../../../base/events/typeable.ts";
import {
  isLoop,
  type Members,
  type PermissionAsked,
  type Scene,
  type VisitScene,
  type VisitStatus,
} from "../../../../services/explain/story.ts";
import type { Colors } from "../../output.ts";
import { plain } from "../../text/harmless.ts";
import { amount, duration, GLYPHS, type Glyph, paint, STATUS_GLYPHS, signOf, tookAtLeast } from "../../text/phrases.ts";
import { cut, widthOf } from "../../text/width.ts";
import { aligned, changedFileLines, changedText, type Line, leftOnly } from "../steps.ts";
import type { StoryView } from "./trouble.ts";

/** Lines of one chapter; in the middle of a long one the uneventful are counted. */
const SHOWN = 40;

export function sceneLines(scenes: readonly Scene[], { colors, line: longest }: StoryView): readonly string[] {
  const lines = shortened(scenes).flatMap((scene) =>
    typeof scene === "number" ? [leftOnly(1, colors.dim(`  … ${scene} more`))] : linesOf(scene, 1, colors),
  );
  return aligned(lines, 44).map((line) => cut(line, longest));
}

/** A number stands for so many scenes that are not shown. */
function shortened(scenes: readonly Scene[]): readonly (Scene | number)[] {
  if (scenes.length <= SHOWN) return scenes;
  const half = SHOWN / 2;
  return [...scenes.slice(0, half), scenes.length - SHOWN, ...scenes.slice(-half)];
}

function linesOf(scene: Scene, depth: number, colors: Colors): readonly Line[] {
  if (!isLoop(scene))
    return [
      visitLine(scene, depth, colors),
      ...(scene.requests ?? []).map((request) => leftOnly(depth + 2, requestText(request, colors))),
      ...(scene.changes ? changedFileLines(scene.changes, colors) : []).map((line) => leftOnly(depth + 2, line)),
      ...(scene.scenes ?? []).flatMap((inner) => linesOf(inner, depth + 1, colors)),
    ];
  const { times, scenes } = scene;
  const took = scenes.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const worst = scenes.find(({ status }) => status !== "completed" && status !== "reused") ?? scenes[0];
  const glyph = worst ? GLYPH_OF[worst.status] : GLYPHS.done;
  const names = scenes.map(({ node_id }) => plain(node_id)).join(" → ");
  const inner = scenes.filter(({ kind }) => kind !== undefined).map(({ kind }) => colors.yellow(plain(kind ?? "")));
  return [
    {
      left: `${"  ".repeat(depth)}${signOf(glyph, colors)} ${names}`,
      right: [
        colors.cyan(`${times} times`),
        colors.dim(STATUS_WORDS[worst?.status ?? "completed"] ?? duration(took)),
        ...inner,
      ].join("  "),
    },
  ];
}

const GLYPH_OF: Readonly<Record<VisitStatus, Glyph>> = { ...STATUS_GLYPHS, reused: GLYPHS.reused };

function visitLine(visit: VisitScene, depth: number, colors: Colors): Line {
  const { status, kind, why } = visit;
  const glyph =
    visit.reason !== undefined
      ? { sign: GLYPHS.ended.sign, tone: status === "failed" ? ("bad" as const) : ("good" as const) }
      : status === "completed" && visit.members && visit.members.failed > 0
        ? GLYPHS.warning
        : GLYPH_OF[status];
  const facts = [
    (visit.duration_ms > 0 || status === "completed") && tookAtLeast(visit.duration_ms, status === "cut_off"),
    visit.attempts > 1 && `${visit.attempts} attempts`,
    STATUS_WORDS[status],
    visit.changes && changedText(visit.changes),
    visit.answer !== undefined && `answered "${plain(visit.answer)}"`,
  ].filter(Boolean);
  const error = kind ? paint(status === "failed" ? "bad" : "warn", plain(kind), colors) : "";
  const handled =
    kind && (status === "recovered" || status === "reused")
      ? colors.dim("handled")
      : kind && status === "completed"
        ? colors.dim("passed")
        : "";
  const name = status === "reused" ? colors.dim(plain(visit.node_id)) : plain(visit.node_id);
  const parts = [
    colors.dim(facts.join(", ")),
    visit.members ? membersText(visit, visit.members, colors) : "",
    error && [error, handled].filter(Boolean).join(" "),
    visit.reason !== undefined ? plain(visit.reason).replaceAll("\n", " ") : "",
    why ? colors.cyan(`because ${why}`) : "",
  ];
  return {
    left: `${"  ".repeat(depth)}${signOf(glyph, colors)} ${name}`,
    right: parts.filter((part) => widthOf(part) > 0).join("  "),
  };
}

/** The answer first: a long request is cut at the width of the terminal. */
function requestText({ prompt, answer, answered_by }: PermissionAsked, colors: Colors): string {
  const fate = answer === undefined ? "no answer yet" : `${plain(answer)} by ${plain(answered_by ?? "")}`;
  return `${colors.cyan(fate)}: ${plain(requestLine(prompt))}`;
}

const STATUS_WORDS: Partial<Readonly<Record<VisitStatus, string>>> = {
  reused: "reused",
  cancelled: "stopped",
  cut_off: "was cut off",
  running: "running",
  paused: "waits for an answer",
};

function membersText(
  { type }: VisitScene,
  { count, completed, reused, recovered, failed, cancelled }: Members,
  colors: Colors,
): string {
  const parts = [
    `${completed + recovered + reused} of ${amount(count, type === "parallel" ? "member" : "item")} done`,
    reused > 0 && colors.dim(`${reused} reused`),
    recovered > 0 && colors.yellow(`${recovered} recovered`),
    failed > 0 && colors.red(`${failed} failed`),
    cancelled > 0 && colors.dim(`${cancelled} stopped`),
  ];
  return parts.filter(Boolean).join(", ");
}
