// `segno trace`: says where the spans went, or prints them.
import { traceRun } from "../../services/trace/index.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { jsonText } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";

export default async function trace({ asked, output }: Call): Promise<number> {
  const answer = await traceRun({ ...asked.surroundings, ...asked.run });
  return answerWith(answer, output, ({ sent, spans, trace_id }) =>
    sent ? `${amount(sent.count, "span")} sent to ${sent.url}, trace ${trace_id}.\n` : `${jsonText(spans, 2)}\n`,
  );
}
