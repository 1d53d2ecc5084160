// `segno serve`: hands over to the face that speaks HTTP.
import type { Call } from "../command.ts";
import { refuse, UsageError } from "../usage-error.ts";

export default async function serve({ asked, output, faces }: Call): Promise<number> {
  if (!faces.server) throw new UsageError("This build has no server.", { command: "serve" });
  const answer = await (await faces.server()).serve(asked, output);
  if (typeof answer === "number") return answer;
  if (output.format === "text") refuse(answer, output);
  else output.json(answer);
  return answer.exit_code ?? 2;
}
