// `segno validate`: the findings of one or more files, as text or as one object.
import {
  isFolder,
  otherKind,
  rulesNote,
  type ValidateAnswer,
  validateFiles,
} from "../../../services/workflows/validate.ts";
import type { FileVerdict, ValidateFolderAnswer } from "../../../services/workflows/validate-folder.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { answerReported, notesOf, type ReportedCheck, type ReportedFinding } from "../report/reporters/index.ts";
import { showFindings, sourceReader } from "../show-findings.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { columns } from "../text/width.ts";

export async function validate(call: Call): Promise<number> {
  const { asked, output } = call;
  const others = asked.arguments.some((file) => otherKind(file) !== undefined)
    ? await import("../../../services/workflows/check-other-file.ts")
    : undefined;
  const folders = asked.arguments.some((path) => isFolder(asked.cwd, path))
    ? await import("../../../services/workflows/validate-folder.ts")
    : undefined;
  const answer = (folders?.validateFolders ?? validateFiles)(asked.session, {
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
      if ("workflows" in answer) output.stdout.write(folderText(answer as ValidateFolderAnswer, colors, width));
      else if (answer.success && !output.quiet) output.print(`${colors.green("✓")} ${verdict(answer)}`);
    },
  );
}

const HEADS = {
  runs: "Runs as it is",
  differs: "Runs, and differs from Conductor (rows of docs/conductor.md)",
  refused: "Is refused",
} as const;

/** Groups of files with one verdict, with what there is to say of each. */
function folderText({ workflows, left_out }: ValidateFolderAnswer, colors: Colors, width: number): string {
  const parts = (Object.keys(HEADS) as (keyof typeof HEADS)[]).flatMap((verdict) => {
    const files = workflows.filter((one) => one.verdict === verdict);
    const paint = verdict === "refused" ? colors.red : verdict === "differs" ? colors.yellow : colors.green;
    return files.length === 0
      ? []
      : [`${paint(`${HEADS[verdict]}: ${amount(files.length, "file")}`)}\n${columns(files.flatMap(rowsOf), width)}`];
  });
  const none = workflows.length === 0 ? ["There is no workflow file here."] : [];
  const rest = left_out > 0 ? [`${amount(left_out, "other YAML file")} left out: no workflow.`] : [];
  return `${[...none, ...parts, ...rest].join("\n\n")}\n`;
}

function rowsOf({ file, differences, refusals }: FileVerdict): [string, string][] {
  const rows = new Map<string, string[]>();
  for (const { row, line, node } of differences)
    rows.set(row, [...(rows.get(row) ?? []), node === null ? `line ${line}` : `line ${line} (${node})`]);
  const said = [
    ...refusals.map(({ line, message, instead }) => {
      const place = line === null ? "" : `line ${line}: `;
      return `${place}${message}${instead === null ? "" : ` Write: ${instead}`}`;
    }),
    ...[...rows].map(([row, places]) => `${row}: ${places.join(", ")}`),
  ].map(plainLineOf);
  const name = `  ${plainLineOf(file)}`;
  return said.length === 0 ? [[name, ""]] : said.map((text, index) => [index === 0 ? name : "", text]);
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
