// Breakers, letters, policies and warnings of a chapter, a line each.
import type { Note } from "../../../services/explain/story.ts";
import { plain } from "../../text/harmless.ts";
import { wrap } from "../../text/wrap.ts";
import type { StoryView } from "./trouble.ts";

const SHOWN = 10;

export function noteLines(notes: readonly Note[], { colors, width }: StoryView): readonly string[] {
  const lines = notes.slice(0, SHOWN).flatMap(({ about, node_id, message }) => {
    const who = node_id === null ? "" : `${plain(node_id)}: `;
    const text = wrap(`${who}${plain(message).replaceAll("\n", " ")}`, width - 15);
    return text.map(
      (line, index) =>
        `${index === 0 ? colors.yellow("▲") : " "} ${colors.dim((index === 0 ? about : "").padEnd(10))} ${line}`,
    );
  });
  return notes.length > SHOWN ? [...lines, colors.dim(`  and ${notes.length - SHOWN} more`)] : lines;
}
