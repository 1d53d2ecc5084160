// `segno validate`: the findings of one or more files, as text or as one object.
import { otherKind, rulesNote, type ValidateAnswer, validateFiles } from "../../../services/workflows/validate.ts";
import type { Call } from "../command.ts";
import { answerReported, notesOf, type ReportedCheck, type ReportedFinding } from "../report/reporters/index.ts";
import { showFindings, sourceReader } from "../show-findings.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";

export async function validate(call: Call): Promise<number> {
  const { asked, output } = call;
  const others = asked.arguments.some((file) => otherKind(file) !== undefined)
    ? await import("../../../services/workflows/check-other-file.ts")
    : undefined;
  const answer = validateFiles(asked.session, {
    files: asked.arguments,
    checkOther: others && ((file, session) => others.checkOtherFile(file, session, asked.brokenPlugin)),
    asChild: asked.flag("as-child"),
    strict: asked.flag("strict"),
  });
  const { errors, warnings } = answer;
  return answerReported(
    answer,
    call,
    () => checksOfFiles(answer),
    () => {
      const { outColors: colors, width } = output;
      const findings = showFindings({ errors, warnings, colors, width, read: sourceReader(asked.cwd) });
      if (findings && !(output.quiet && answer.success)) output.stdout.write(findings);
      if (answer.success && !output.quiet) output.print(`${colors.green("✓")} ${verdict(answer)}`);
    },
  );
}

function verdict({ files, dialect }: ValidateAnswer): string {
  if (files.length > 1) return `${amount(files.length, "file")} are valid`;
  return `${plainLineOf(files[0] ?? "")} is valid${rulesNote(dialect)}`;
}

/** A check for each file, and for what was found in files that these call or include. */
function checksOfFiles({ files, errors, warnings }: ValidateAnswer): readonly ReportedCheck[] {
  const notes = notesOf(errors, warnings);
  const only = files.length === 1 ? files[0] : undefined;
  const fileOf = (note: ReportedFinding): string => note.place?.file ?? only ?? files[0] ?? "";
  const names = new Set([...files, ...notes.map(fileOf)]);
  return [...names].map((file) => ({ suite: file, name: file, notes: notes.filter((note) => fileOf(note) === file) }));
}
