// `segno run --dry-run`: what would run, and what could be rendered of it.
import { planRun } from "../../services/dry-run.ts";
import type { RunRequest } from "../../services/request.ts";
import type { Call } from "../command.ts";
import { readSource } from "../read-source.ts";
import { detailLines } from "../report/details.ts";
import { showFindings } from "../show-findings.ts";

export default async function dryRun({ asked, output }: Call, request: RunRequest): Promise<number> {
  const answer = await planRun(request);
  if (output.format !== "text") output.json(answer);
  else {
    const { errors, warnings } = answer;
    const view = { errors, warnings, colors: output.colors, width: output.columns, read: readSource(asked.cwd) };
    output.stderr.write(showFindings(view));
    const { bold, dim } = output.outColors;
    for (const { node_id, type, ...rest } of answer.plan ?? []) {
      output.print(`${bold(node_id)}  ${dim(type)}`);
      for (const line of detailLines(rest, (output.stdout.columns ?? 100) - 4)) output.print(`    ${line}`);
    }
  }
  return answer.exit_code ?? 1;
}
