// The README's picture of a run is what a terminal of 100 columns shows of it, but for times and the run's id.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import picocolors from "picocolors";
import { expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { lineOf } from "../../src/frontends/cli/live/event-line.ts";
import { HeldLines } from "../../src/frontends/cli/live/held-lines.ts";
import { StayingLines } from "../../src/frontends/cli/live/live-tree.ts";
import { type EventLine, isDetail, paintLine } from "../../src/frontends/cli/live/paint-line.ts";
import { ending, reportHas } from "../../src/frontends/cli/report/ending.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import { blocksOf, pages, root } from "./markdown.ts";

const COLUMNS = 100;
const colors = picocolors.createColors(false);

/** Without what differs from run to run: ids, times, and which member of `checks` is done first. */
const still = (text: string): readonly string[] =>
  text
    .replace(/( *✓ (lint|test|links) .*\n){3}/, (members) => `${members.trimEnd().split("\n").sort().join("\n")}\n`)
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b|(?<=· run )[0-9A-HJKMNP-TV-Z]{6}$/gm, "RUN")
    .replace(/\b(?:\d+[hm] )*\d+(\.\d+)?m?s\b/g, "TIME")
    .trim()
    .split("\n");

it("the README shows a run as it is printed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-picture-"));
  try {
    // Its scripts keep things beside themselves; other tests run it too.
    cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });
    const events: RunEvent[] = [];
    const result = await runWorkflow(
      { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, home: join(folder, "home") },
      { file: "examples/release.yaml", inputs: {} },
      { on: (event) => events.push(event) },
    );
    const staying = new StayingLines(false);
    const held = new HeldLines<EventLine>();
    const shown = events.flatMap((event) => {
      const line = lineOf(event);
      const lines = line ? staying.from(event, line) : [];
      return held.take(event, { lines, isDetail: isDetail(line) });
    });
    const rest = held.rest((message) => reportHas(result, message));
    const lines = [...shown, ...rest].map((one) => paintLine(one, colors, COLUMNS));
    const view = { colors, width: COLUMNS, terminal: COLUMNS, read: () => undefined };
    const end = ending(result, view, { said: held.said });
    const [readme] = pages;
    const picture = readme && blocksOf(readme).find(({ language }) => language === "text");
    expect(still(picture?.text ?? "")).toEqual(still([...lines, "…", end].join("\n")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
