// One event as one row: number, time, type, and what it says.
import type { RunEvent } from "../../events/registry.ts";
import { lineOf } from "../live/event-line.ts";
import { plainLine } from "../live/paint-line.ts";
import type { Colors } from "../output.ts";
import { paint } from "../text/glyphs.ts";
import { jsonText } from "../text/harmless.ts";
import { cut } from "../text/width.ts";

const TYPE_WIDTH = 24;

export function eventRow(event: RunEvent, colors: Colors, width: number): string {
  const line = lineOf(event);
  const said = line ? plainLine(line) : `${event.path.map((slot) => `${slot}/`).join("")}${jsonText(event.data)}`;
  const time = event.ts.slice(11, 23);
  const type = line ? paint(line.glyph.tone, event.type.padEnd(TYPE_WIDTH), colors) : event.type.padEnd(TYPE_WIDTH);
  return cut(`${colors.dim(String(event.seq).padStart(5))}  ${colors.dim(time)}  ${type}  ${said}`, width);
}
