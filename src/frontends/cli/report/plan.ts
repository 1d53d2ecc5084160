// `segno run --dry-run`: what would run, and what could be rendered of it.

import { type PlannedStep, planRun } from "../../../services/drive/dry-run.ts";
import type { RunRequest } from "../../../services/request.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { writeFindings } from "../show-findings.ts";
import { plain } from "../text/harmless.ts";
import { detailLines } from "./error-block.ts";

interface View {
  readonly colors: Colors;
  readonly width: number;
}

export async function dryRun({ asked, output }: Call, request: RunRequest): Promise<number> {
  const answer = await planRun(asked.session, request);
  if (output.format !== "text") output.json(answer);
  else {
    writeFindings(answer, { asked, output });
    const width = output.width;
    for (const line of planText(answer.plan ?? [], { colors: output.outColors, width })) output.print(line);
  }
  return answer.exit_code ?? 1;
}

/** Steps, and below them the policies that no file further up has said already. */
function planText(steps: readonly PlannedStep[], view: View, said: readonly string[] = []): readonly string[] {
  const policies = [
    ...new Set(steps.flatMap((step) => [step, ...(step.members ?? [])]).flatMap((one) => one.policies ?? [])),
  ];
  const added = policies.filter((policy) => !said.includes(policy));
  return [
    ...steps.flatMap((step) => stepLines(step, view, [...said, ...policies])),
    ...(added.length > 0 ? [view.colors.dim(`policies asked before each step: ${plain(added.join(", "))}`)] : []),
  ];
}

/** A step, what it would be given, and where it may lead; members below their group, steps below the call of their file. */
function stepLines(step: PlannedStep, view: View, said: readonly string[]): readonly string[] {
  const { bold, dim } = view.colors;
  const inner = { ...view, width: view.width - 4 };
  const inside = [
    ...detailLines(step.fields, inner.width),
    ...(step.members ?? []).flatMap((member) => stepLines(member, inner, said)),
    ...planText(step.steps ?? [], inner, said),
    ...(step.steps_under === undefined
      ? []
      : [dim(`its steps are those of ${plain(step.steps_under) || "the whole plan"}`)]),
    ...step.routes.map((route) => dim(plain(route))),
  ];
  return [`${bold(plain(step.node_id))}  ${dim(step.type)}`, ...inside.map((line) => `    ${line}`)];
}
