// `segno types`: writes declarations for TypeScript.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { workflowTypes } from "../../services/workflow-types.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { writeFindings } from "../show-findings.ts";
import { amount } from "../text/amount.ts";
import { plain } from "../text/harmless.ts";

export default async function types({ asked, output }: Call): Promise<number> {
  const answer = workflowTypes({ ...asked.surroundings, files: asked.arguments });
  if (output.format === "text" && answer.errors.some(({ rule }) => rule !== undefined)) {
    writeFindings(answer, { asked, output });
    return answer.exit_code ?? 2;
  }
  const out = asked.text("out") ?? "segno.d.ts";
  if (answer.success && out !== "-") writeFileSync(resolve(asked.cwd, out), answer.types);
  return answerWith(answer, output, ({ types: text, files }) =>
    out === "-" ? text : `${plain(out)} declares ${amount(files.length, "workflow")}.\n`,
  );
}
