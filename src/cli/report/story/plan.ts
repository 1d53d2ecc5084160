// What a resume would do now: what was edited, what is reused, what runs again and why.
import type { Change, ResumePlan } from "../../../services/explain/index.ts";
import { showFindings } from "../../show-findings.ts";
import { GLYPHS, paint } from "../../text/glyphs.ts";
import { plain } from "../../text/harmless.ts";
import { amount, enumerated } from "../../text/phrases.ts";
import { wrap } from "../../text/width.ts";
import type { StoryView } from "./trouble.ts";

export function planLines(plan: ResumePlan, view: StoryView): readonly string[] {
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
  const reused = plan.reused.map((name) => plain(name));
  return [
    ...line("·", "edited", editedText(plan.changes)),
    ...(reused.length > 0
      ? line(paint(GLYPHS.reused.tone, GLYPHS.reused.sign, colors), "reused", enumerated(shortened(counted(reused))))
      : []),
    ...plan.changed_files.flatMap(({ node_id, path, files, command }) =>
      line(
        colors.yellow("!"),
        "changed",
        `${enumerated(shortened(files.map((file) => plain(file))))} since ${plain([...path, node_id].join("/"))} ran, which is reused: its inputs are the same${command === null ? "" : `. To run it again: ${command}`}`,
      ),
    ),
    ...plan.runs.flatMap(({ node_id, path, why, members }) => {
      const name = plain([...path, node_id].join("/"));
      return line(
        colors.cyan("▸"),
        "runs",
        `${name}${members === undefined ? "" : `, ${amount(members, "member")}`}: ${why}`,
      );
    }),
    ...(plan.asks === null ? [] : line(colors.cyan("?"), "asks", plain(plan.asks))),
    ...(plan.depends.length > 0
      ? line(
          " ",
          "then",
          `${enumerated(plan.depends.map((name) => plain(name)))}, if what ${plan.depends.length === 1 ? "it reads" : "they read"} comes out different`,
        )
      : []),
    ...(plan.limit ? line(colors.red("!"), "stops", limitText(plan.limit)) : []),
  ];
}

function limitText({ max_iterations, node_id, path, command }: NonNullable<ResumePlan["limit"]>): string {
  const where = path.length === 0 ? "" : ` of ${plain(path.join("/"))}`;
  const next = command === null ? "Raise it in the file first." : `Allow more: ${command}`;
  return `before ${plain(node_id)}: limits.max_iterations${where} (${max_iterations}) is used up by then. ${next}`;
}

function editedText(changes: readonly Change[]): string {
  if (changes.length === 0) return "no step since the last drive";
  const words = { changed: "", routes: " (its routes)", added: " (new)", removed: " (removed)" } as const;
  const files = new Set(changes.map(({ file }) => file));
  return enumerated(
    changes.map(
      ({ file, node_id, what, fields }) =>
        `${plain(node_id ?? (fields ? enumerated(shortened(fields)) : "the file"))}${words[what]}${files.size > 1 || node_id === null ? ` in ${plain(file)}` : ""}`,
    ),
  );
}

/** A step that was visited more than once is named once. */
function counted(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} (${count} times)` : name));
}

const LISTED = 12;
const shortened = (names: readonly string[]): readonly string[] =>
  names.length <= LISTED ? names : [...names.slice(0, LISTED - 1), `${names.length - LISTED + 1} more`];
