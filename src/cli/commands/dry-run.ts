// `segno run --dry-run`: what would run, and what could be rendered of it.
import { type PlannedStep, planRun } from "../../services/dry-run.ts";
import type { RunRequest } from "../../services/request.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { detailLines } from "../report/details.ts";
import { showFindings } from "../show-findings.ts";
import { sourceReader } from "../source-reader.ts";
import { plain } from "../text/harmless.ts";

export default function dryRun({ asked, output }: Call, request: RunRequest): number {
  const answer = planRun(request);
  if (output.format !== "text") output.json(answer);
  else {
    const { errors, warnings } = answer;
    const view = { errors, warnings, colors: output.colors, width: output.columns, read: sourceReader(asked.cwd) };
    output.stderr.write(showFindings(view));
    const width = output.stdout.columns ?? 100;
    for (const step of answer.plan ?? []) output.print(planLines(step, output.outColors, width).join("\n"));
  }
  return answer.exit_code ?? 1;
}

/** A step, what it would be given, and where it may lead; members below their group. */
function planLines(step: PlannedStep, colors: Colors, width: number): readonly string[] {
  const { bold, dim } = colors;
  const inside = [
    ...detailLines(step.fields, width - 4),
    ...(step.members ?? []).flatMap((member) => planLines(member, colors, width - 4)),
    ...(step.policies?.length ? [dim(`policies: ${step.policies.join(", ")}`)] : []),
    ...step.routes.map((route) => dim(plain(route))),
  ];
  return [`${bold(plain(step.node_id))}  ${dim(step.type)}`, ...inside.map((line) => `    ${line}`)];
}
