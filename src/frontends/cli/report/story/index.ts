// `segno explain` for a terminal: how it stands, then for each drive what ran and what went wrong, then what comes next.
import { keptIn } from "../../../../base/errors/mapping.ts";
import { enumerated } from "../../../../base/errors/nearest.ts";
import type {
  Change,
  Chapter,
  ExplainAnswer,
  ExplainedRun,
  ResumePlan,
  Trouble,
} from "../../../../services/explain/index.ts";
import type { Note } from "../../../../services/explain/story.ts";
import type { Colors } from "../../output.ts";
import { showFindings } from "../../show-findings.ts";
import { plain, plainLineOf } from "../../text/harmless.ts";
import {
  ago,
  amount,
  compact,
  cutList,
  duration,
  GLYPHS,
  type Glyph,
  money,
  paint,
  RUN_GLYPHS,
  signOf,
  tookAtLeast,
} from "../../text/phrases.ts";
import { wrap } from "../../text/width.ts";
import { sceneLines } from "./scenes.ts";
import { isOver, type StoryView, troubleLines } from "./trouble.ts";

/** Troubles shown in full in one chapter; the rest is counted. */
const SHOWN = 6;

/** Unhandled errors take precedence; those chosen stay in the order in which they happened. */
function shownOf(troubles: readonly Trouble[]): readonly Trouble[] {
  if (troubles.length <= SHOWN) return troubles;
  const chosen = new Set(troubles.filter((trouble) => !isOver(trouble)).slice(-SHOWN));
  for (const trouble of troubles) if (chosen.size < SHOWN) chosen.add(trouble);
  return troubles.filter((trouble) => chosen.has(trouble));
}

export function storyText({ run, chapters, resume, next }: ExplainAnswer, view: StoryView): string {
  const { colors } = view;
  if (!run) return "";
  const told = chapters.at(-1)?.troubles ?? [];
  const isTold = run.status === "failed" && shownOf(told).some((trouble) => tells(trouble, run.headline));
  const headline = isTold ? null : run.headline;
  const parts: (readonly string[])[] = [headLines({ ...run, headline }, view)];
  const several = chapters.length > 1;
  for (const [index, chapter] of chapters.entries()) {
    const isLast = index === chapters.length - 1;
    const opening = several
      ? [colors.bold(`Drive ${chapter.drive}`) + colors.dim(openingWords(chapter)), ...changedLines(chapter, colors)]
      : [colors.bold("What ran")];
    parts.push([...opening, ...sceneLines(chapter.scenes, view), ...(isLast ? restLines(run, colors) : [])]);
    const shown = shownOf(chapter.troubles);
    for (const trouble of shown) parts.push(troubleLines(trouble, { ...view, headline }));
    const hidden = chapter.troubles.length - shown.length;
    if (hidden > 0) parts.push([colors.dim(`and ${hidden} more troubles; --output-format json has them all`)]);
    const notes = noteLines(chapter.notes, view);
    if (notes.length > 0) parts.push(notes);
  }
  if (resume) parts.push([colors.bold("If you resume now"), ...planLines(resume, view)]);
  const advice = next.flatMap((sentence) => wrap(plain(sentence), view.width - 2).map((line) => `  ${line}`));
  if (advice.length > 0) parts.push([colors.bold("Next"), ...advice]);
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Whether the block of the trouble has the message that the headline quotes. */
const tells = ({ carried, raised }: Trouble, headline: string | null): boolean =>
  !carried && raised.some(({ message }) => message !== "" && headline?.includes(message) === true);

const WORDS: Partial<Readonly<Record<ExplainedRun["status"], string>>> = {
  degraded: "degraded: it lost members of a group",
  crashed: "crashed: its process is gone and recorded no end",
  queued: "queued: it waits for a worker",
};

function headLines(run: ExplainedRun, { colors, now, width }: StoryView): readonly string[] {
  const glyph: Glyph =
    run.status === "terminated" ? { ...GLYPHS.ended, tone: run.success ? "good" : "bad" } : RUN_GLYPHS[run.status];
  const when = run.started_at === null ? "" : `, ${ago(run.started_at, now)}`;
  const words = `${WORDS[run.status] ?? run.status}${when}`;
  const facts = [
    run.file,
    run.duration_ms !== null &&
      `${tookAtLeast(run.duration_ms, run.status === "crashed")}${run.drives > 1 ? ` in ${run.drives} drives` : ""}`,
    run.tokens > 0 && `${compact(run.tokens)} tokens`,
    run.cost_usd ? money(run.cost_usd) : false,
    `run ${run.run_id}`,
  ].filter(Boolean);
  const said =
    run.headline && run.status !== "crashed"
      ? wrap(plain(run.headline), width - 2).map((line) => `  ${paint(glyph.tone, line, colors)}`)
      : [];
  return [
    `${signOf(glyph, colors)} ${colors.bold(plainLineOf(run.workflow ?? ""))} ${paint(glyph.tone, words, colors)}`,
    ...said,
    `  ${colors.dim(facts.join(" · "))}`,
  ];
}

/** How the drive before had ended. */
const ENDED: Readonly<Record<string, string>> = {
  crashed: "it was cut off",
  cancelled: "it was stopped",
  paused: "it had paused",
  degraded: "it had ended degraded",
  completed: "it had completed",
  terminated: "it had ended itself",
  waiting: "it had waited for its time",
  "handed over": "its worker had handed it over",
};

function openingWords({ after, idle_ms, force, from, changed_files }: Chapter): string {
  if (after === null) return "  the first";
  const word = ENDED[after] ?? "it had failed";
  const pause = idle_ms !== null && idle_ms >= 1000 ? `, ${duration(idle_ms)} later` : "";
  const how = force ? ", with --force" : from === undefined ? "" : `, --from ${from}`;
  return `  resumed after ${word}${pause}${how}${changed_files ? ", with --changed-files" : ""}`;
}

function changedLines({ file_changed, inputs_changed }: Chapter, colors: Colors): readonly string[] {
  const parts = [
    file_changed && "the file",
    inputs_changed.length > 0 && `the inputs ${enumerated(inputs_changed.map(plain))}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? [] : [colors.dim(`  changed meanwhile: ${enumerated(parts)}`)];
}

const restLines = ({ not_executed, status }: ExplainedRun, colors: Colors): readonly string[] =>
  not_executed.length === 0 || status === "running"
    ? []
    : [colors.dim(`  · ${enumerated(cutList(not_executed.map(plain), LISTED))} did not run`)];

const LISTED = 8;
const NOTES_SHOWN = 10;

/** Breakers, letters, policies and warnings of a chapter, a line each. */
function noteLines(notes: readonly Note[], { colors, width }: StoryView): readonly string[] {
  const lines = notes.slice(0, NOTES_SHOWN).flatMap(({ about, node_id, message }) => {
    const who = node_id === null ? "" : `${plain(node_id)}: `;
    const text = wrap(`${who}${plain(message).replaceAll("\n", " ")}`, width - 15);
    return text.map(
      (line, index) =>
        `${index === 0 ? colors.yellow("▲") : " "} ${colors.dim((index === 0 ? about : "").padEnd(10))} ${line}`,
    );
  });
  return notes.length > NOTES_SHOWN ? [...lines, colors.dim(`  and ${notes.length - NOTES_SHOWN} more`)] : lines;
}

/** What a resume would do now: what was edited, what is reused, what runs again and why. */
function planLines(plan: ResumePlan, view: StoryView): readonly string[] {
  const { colors, width } = view;
  if (plan.refused.length > 0) {
    const findings = showFindings({ errors: plan.refused, warnings: [], colors, width: view.line, read: view.read });
    return [
      "  It would be refused, because the file does not load as it is now:",
      ...findings
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`),
    ];
  }
  const line = (sign: string, word: string, text: string): readonly string[] =>
    wrap(text, width - 18).map(
      (part, index) => `  ${index === 0 ? sign : " "} ${colors.dim((index === 0 ? word : "").padEnd(11))} ${part}`,
    );
  const reused = plan.reused.map((name) => ({ name: plain(name), more: "" }));
  return [
    ...line("·", "edited", editedText(plan.changes)),
    ...(reused.length > 0
      ? line(signOf(GLYPHS.reused, colors), "reused", enumerated(cutList(counted(reused), PLAN_LISTED)))
      : []),
    ...plan.changed_files.flatMap(({ node_id, path, files, command }) =>
      line(
        colors.yellow("!"),
        "changed",
        `${enumerated(cutList(files.map(plain), PLAN_LISTED))} since ${plain([...path, node_id].join("/"))} ran, which is reused: its inputs are the same${command === null ? "" : `. To run it again: ${command}`}`,
      ),
    ),
    ...counted(
      plan.runs.map(({ node_id, path, why, members }) => ({
        name: plain([...path, node_id].join("/")),
        more: `${members === undefined ? "" : `, ${amount(members, "member")}`}: ${why}`,
      })),
    ).flatMap((text) => line(colors.cyan("▸"), "runs", text)),
    ...(plan.asks === null ? [] : line(colors.cyan("?"), "asks", plain(plan.asks))),
    ...(plan.depends.length > 0
      ? line(
          " ",
          "then",
          `${enumerated(plan.depends.map(plain))}, if what ${plan.depends.length === 1 ? "it reads" : "they read"} comes out different`,
        )
      : []),
    ...(plan.limit ? line(colors.red("!"), "stops", plannedLimitText(plan.limit)) : []),
    ...(plan.stops ? line(colors.red("!"), "stops", stopText(plan.stops)) : []),
  ];
}

function stopText({ limit, allowed, node_id }: NonNullable<ResumePlan["stops"]>): string {
  const where = node_id === null ? "at once" : `before ${plain(node_id)}`;
  return `${where}: limits.${limit} (${limit === "budget_usd" ? `$${allowed}` : `${allowed} s`}) is used up. Raise it in the file first.`;
}

function plannedLimitText({ node_id, path, command, ...limit }: NonNullable<ResumePlan["limit"]>): string {
  const where = path.length === 0 ? "" : ` of ${plain(path.join("/"))}`;
  const next = command === null ? "Raise it in the file first." : `Allow more: ${command}`;
  const { max_visits, max_iterations = max_visits } = limit;
  const name = max_visits === undefined ? "max_iterations" : "max_visits";
  return `before ${plain(node_id)}: limits.${name}${where} (${max_iterations}) is used up by then. ${next}`;
}

function editedText(changes: readonly Change[]): string {
  if (changes.length === 0) return "no step since the last drive";
  const words = { changed: "", routes: " (its routes)", added: " (new)", removed: " (removed)" } as const;
  const files = new Set(changes.map(({ file }) => file));
  return enumerated(
    changes.map(
      ({ file, node_id, what, fields }) =>
        `${plain(node_id ?? (fields ? enumerated(cutList(fields, PLAN_LISTED)) : "the file"))}${words[what]}${files.size > 1 || node_id === null ? ` in ${plain(file)}` : ""}`,
    ),
  );
}

/** A step that was visited more than once is named once. `more`: what is said of it. */
function counted(steps: readonly { readonly name: string; readonly more: string }[]): readonly string[] {
  const counts = new Map<string, { readonly name: string; readonly more: string; times: number }>();
  for (const { name, more } of steps) keptIn(counts, name + more, () => ({ name, more, times: 0 })).times++;
  return [...counts.values()].map(({ name, more, times }) => `${name}${times > 1 ? ` (${times} times)` : ""}${more}`);
}

const PLAN_LISTED = 12;
