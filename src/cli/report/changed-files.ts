// What an agent changed in its folder, in `segno show` and `segno explain`: how much on the step's line, and the files below.
import type { ListedChanges } from "../../events/agent-changes.ts";
import type { Colors } from "../output.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";

const SHOWN = 10;

export const changedText = (changes: ListedChanges): string =>
  `${amount(changes.files.length + (changes.more_files ?? 0), "file")} changed, +${changes.added} −${changes.removed}`;

/** A line for each file, without indentation. */
export function changedFileLines(
  { files, more_files = 0, incomplete }: ListedChanges,
  colors: Colors,
): readonly string[] {
  const shown = files.slice(0, SHOWN);
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
