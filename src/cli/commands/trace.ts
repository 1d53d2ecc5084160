// `segno trace`: says where the spans went, or prints them.
import { listTrace } from "../../services/trace/index.ts";
import type { Call } from "../command.ts";
import { amount } from "../text/phrases.ts";
import { answerWith } from "../usage-error.ts";

export default async function trace({ asked, output }: Call): Promise<number> {
  const answer = await listTrace(asked.session, { ...asked.run });
  return answerWith(answer, output, ({ sent, spans, trace_id }) => {
    if (sent) return `${amount(sent.count, "span")} sent to ${sent.url}, trace ${trace_id}.\n`;
    output.printListed(spans, 2);
    return "";
  });
}
