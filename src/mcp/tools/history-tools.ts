// Recorded runs: a test made of one, and what an edited file would have done to many.
import { z } from "zod";
import { confineFamily, confinePlace, requireRunBelow } from "../../services/access/roots.ts";
import { backtest } from "../../services/history/backtest.ts";
import { recordScenario } from "../../services/history/record.ts";
import { file, run_id } from "../arguments.ts";
import { arrayOf, headOutput } from "../output-schema.ts";
import { answered } from "../session.ts";
import { defineTool } from "../tool.ts";

const record = defineTool({
  name: "run_record",
  title: "Make a test of a run",
  description: "Writes a scenario that plays the run again, offline, and says whether it passes.",
  input: z.strictObject({ run_id, to: z.string().optional().describe("the scenario file, or the folder for it") }),
  output: () =>
    headOutput({
      file: { type: ["string", "null"] },
      passed: { type: "boolean" },
      problems: { type: "array", items: { type: "string" } },
    }),
  annotations: { readOnlyHint: false, destructiveHint: false },
  async run(given, { surroundings, roots }) {
    await requireRunBelow(given.run_id, roots, surroundings);
    const answer = await recordScenario({
      ...surroundings,
      run: given.run_id,
      confine: (place) => void confinePlace(place, roots),
      ...(given.to === undefined ? {} : { to: confinePlace(given.to, roots) }),
    });
    return answered(
      answer,
      [`${answer.file}: ${answer.passed ? "passes" : "does not pass"}`, ...answer.problems].join("\n"),
    );
  },
});

const against = defineTool({
  name: "workflow_backtest",
  title: "Try an edited workflow on past runs",
  description:
    "Plays recorded runs through the file as it is now, offline: which would be the same, better or worse, and by which line.",
  input: z.strictObject({
    file,
    runs: z.int().min(1).max(1000).default(100).describe("how many of the newest"),
    since: z.string().optional().describe("only runs that began within this time: 30d"),
  }),
  output: () =>
    headOutput({
      counts: { type: "object", description: "same, rerouted, better, worse, output, unknown" },
      groups: arrayOf("runs that end alike, counted, with one of them"),
    }),
  annotations: { readOnlyHint: true },
  async run(given, { surroundings, roots }) {
    const { root, file: path } = confineFamily(given.file, roots, surroundings);
    const { since, runs: limit } = given;
    const answer = await backtest({
      ...surroundings,
      cwd: root,
      file: path,
      limit,
      ...(since === undefined ? {} : { since }),
    });
    const lines = answer.groups.map(({ count, verdict, step, line, was, now, why, example }) => {
      const where = `${step === null ? "" : ` from ${step} on`}${line === null ? "" : `, line ${line}`}`;
      return verdict === "same"
        ? `${count} same`
        : `${count} ${verdict}: ${why ?? `${was}, now ${now}`}${where} (${example})`;
    });
    return answered(answer, lines.join("\n"));
  },
});

export const historyTools = [record, against];
