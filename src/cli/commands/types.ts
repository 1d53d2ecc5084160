// `segno types`: writes declarations for TypeScript.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { workflowTypes } from "../../services/workflows/workflow-types.ts";
import type { Call } from "../command.ts";
import { writeFindings } from "../show-findings.ts";
import { plain } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { answerWith, UsageError } from "../usage-error.ts";

export default async function types({ asked, output }: Call): Promise<number> {
  const out = asked.text("out") ?? "segno.d.ts";
  const answer = workflowTypes(asked.session, { files: asked.arguments, ...(out === "-" ? {} : { out }) });
  if (output.format === "text" && answer.errors.some(({ rule }) => rule !== undefined)) {
    writeFindings(answer, { asked, output });
    return answer.exit_code ?? 2;
  }
  if (answer.success && out !== "-") writeTypes(resolve(asked.cwd, out), answer.types);
  return answerWith(answer, output, ({ types: text, files }) =>
    out === "-" ? text : `${plain(out)} declares ${amount(files.length, "workflow")}.\n`,
  );
}

function writeTypes(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (problem) {
    throw new UsageError(`${file} cannot be written: ${(problem as Error).message}.`);
  }
}
