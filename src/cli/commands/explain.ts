// `segno explain`: a run as a story, or the same as data.
import { explainRun } from "../../services/explain/index.ts";
import type { Call } from "../command.ts";
import { storyText } from "../report/story/index.ts";
import { sourceReader } from "../show-findings.ts";
import { WHOLE_LINES } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export default async function explain({ asked, output }: Call): Promise<number> {
  const answer = await explainRun(asked.session, { ...asked.run });
  const { columns } = output.stdout;
  const width = Math.min(columns ?? 100, 120);
  const line = columns === undefined ? WHOLE_LINES : width;
  const view = { colors: output.outColors, width, line, now: asked.now, read: sourceReader(asked.cwd) };
  return answerWith(answer, output, (story) => storyText(story, view));
}
