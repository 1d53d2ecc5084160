// `segno explain`: a run as a story, or the same as data.
import { explainRun } from "../../services/explain/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { storyText } from "../report/story/index.ts";
import { sourceReader } from "../source-reader.ts";

export default async function explain({ asked, output }: Call): Promise<number> {
  const answer = await explainRun({ ...asked.surroundings, ...asked.run });
  const width = Math.min(output.stdout.columns ?? 100, 120);
  const view = { colors: output.outColors, width, now: asked.now, read: sourceReader(asked.cwd) };
  return answerWith(answer, output, (story) => storyText(story, view));
}
