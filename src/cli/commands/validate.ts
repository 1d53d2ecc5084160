// `segno validate`: the findings of one or more files, as text or as one object.
import { otherKind, validateFiles } from "../../services/workflows/validate.ts";
import type { Call } from "../command.ts";
import { checksOfFiles } from "../report/reporters/checks-of.ts";
import { reported } from "../report/reporters/index.ts";
import { showFindings, sourceReader } from "../show-findings.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { WHOLE_LINES } from "../text/width.ts";

export async function validate({ asked, output, version }: Call): Promise<number> {
  const { cwd } = asked;
  const others = asked.arguments.some((file) => otherKind(file) !== undefined)
    ? await import("../../services/workflows/check-other-file.ts")
    : undefined;
  const answer = validateFiles(asked.session, {
    files: asked.arguments,
    ...(others ? { checkOther: (file, session) => others.checkOtherFile(file, session, asked.brokenPlugin) } : {}),
    asChild: asked.flag("as-child"),
    strict: asked.flag("strict"),
  });
  const { errors, warnings } = answer;
  const colors = output.outColors;
  const report = reported(asked.text("reporter"), () => checksOfFiles(answer), { version, asked });
  if (output.format !== "text") output.json(answer);
  else if (report !== undefined) output.report(report);
  else {
    const width = output.stdout.columns ?? WHOLE_LINES;
    const findings = showFindings({ errors, warnings, colors, width, read: sourceReader(cwd) });
    if (findings && !(output.quiet && answer.success)) output.stdout.write(findings);
    if (answer.success && !output.quiet) output.print(`${colors.green("✓")} ${verdict(asked.arguments)}`);
  }
  return answer.exit_code ?? 1;
}

const verdict = (files: readonly string[]): string =>
  files.length === 1 ? `${plainLineOf(files[0] ?? "")} is valid` : `${amount(files.length, "file")} are valid`;
