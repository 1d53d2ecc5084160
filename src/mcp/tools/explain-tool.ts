// A failure explained as a short story: what ran, what raised, which routes were read, and why each matched or not.
import { z } from "zod";
import { requireRunBelow } from "../../services/access/roots.ts";
import { type ExplainAnswer, explainRun } from "../../services/explain/index.ts";
import { run_id } from "../arguments.ts";
import { arrayOf, headOutput } from "../output-schema.ts";
import { answered } from "../session.ts";
import { defineTool } from "../tool.ts";

export const explain = defineTool({
  name: "run_explain",
  description:
    "Why a run went as it did: what raised, why each route matched or not, and what a resume would run again.",
  input: z.strictObject({ run_id }),
  output: () =>
    headOutput({
      chapters: arrayOf("one for each time it was driven"),
      resume: { type: ["object", "null"] },
      next: { type: "array", items: { type: "string" } },
    }),
  annotations: { readOnlyHint: true },
  async run(given, { session, roots }) {
    await requireRunBelow(given.run_id, roots, session);
    const answer = await explainRun(session, { run: given.run_id });
    return answered(answer, story(answer));
  },
});

function story({ run, chapters, next }: ExplainAnswer): string {
  const troubles = chapters
    .flatMap((chapter) => chapter.troubles)
    .flatMap(({ node_id, path, raised, routes, ending }) => [
      ...raised.map(({ kind, message }) => `${[...path, node_id].join("/")} raised ${kind}: ${message}`),
      ...routes.map(({ text, taken, why }) => `  ${taken ? "taken" : "not taken"}: ${text} (${why})`),
      `  ${ending.type}`,
    ]);
  return [
    `Run ${run?.run_id}: ${run?.status}${run?.headline ? `, ${run.headline}` : ""}`,
    ...troubles,
    ...next.map((advice) => `Next: ${advice}`),
  ].join("\n");
}
