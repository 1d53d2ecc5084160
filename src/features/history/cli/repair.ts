// `segno repair`: shows what a model would change, asks, and shows how the run goes on.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Call } from "../../../frontends/cli/command.ts";
import { drive, type Say } from "../../../frontends/cli/drive.ts";
import { type Output, WHOLE_LINES } from "../../../frontends/cli/output.ts";
import { plain, plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { amount } from "../../../frontends/cli/text/phrases.ts";
import { columns } from "../../../frontends/cli/text/width.ts";
import { refuse, UsageError } from "../../../frontends/cli/usage-error.ts";
import { proofMarkdown, type RepairAnswer, type RepairAttempt, type RepairNews, repairRun } from "../repair/repair.ts";
import { type RepairAllRequest, type RunOfKind, repairAll } from "../repair/repair-all.ts";

export function repair(call: Call): Promise<number> {
  const { asked, output } = call;
  const kind = asked.text("all");
  const run = asked.argument(0);
  if ((kind === undefined) === (run === undefined))
    throw new UsageError("Give the run to repair, or --all with the kind of error that runs failed with.");
  if (asked.flag("resume") && kind === undefined)
    throw new UsageError("--resume belongs to --all: a single run is resumed anyway.");
  if (kind !== undefined) return repairKind(call, kind);
  return drive(call, async (driving, say) => {
    const answer = await repairRun(asked.session, { ...askedOf(call, say), run: asked.required(0) }, driving);
    if (output.format === "text") sum(answer, output, say);
    saveProof(call, answer.repair?.attempts ?? []);
    return answer;
  });
}

function askedOf({ asked, output }: Call, say: Say) {
  return {
    yes: asked.flag("yes"),
    tell: (news: RepairNews) => tell(news, output, say),
    attempts: asked.number("attempts"),
    provider: asked.text("provider"),
    model: asked.text("model"),
  };
}

/** The table alone where there was one proposal; else each with a heading, also those that were not taken. */
function saveProof({ asked }: Call, attempts: readonly RepairAttempt[]): void {
  const file = asked.text("proof");
  const proved = attempts.flatMap(({ proof, ...attempt }) => (proof ? [{ ...attempt, proof }] : []));
  if (file === undefined || proved.length === 0) return;
  const parts = proved.map(({ node_id, kind, verdict, file: written, explanation, proof }) =>
    proved.length === 1
      ? proofMarkdown(proof)
      : [
          `## ${node_id ?? "output"}${kind === null ? "" : `, ${kind}`}: ${verdict}${written === undefined ? "" : ` to ${written}`}`,
          ...(explanation ? [explanation.trim()] : []),
          proofMarkdown(proof),
        ].join("\n\n"),
  );
  writeFileSync(resolve(asked.cwd, file), parts.join("\n"));
}

async function repairKind(call: Call, kind: string): Promise<number> {
  const { asked, output } = call;
  const { green, yellow, dim } = output.colors;
  const resume = asked.flag("resume");
  let code = 0;
  await drive(call, async (driving, say) => {
    const request: RepairAllRequest = {
      ...askedOf(call, say),
      kind,
      resume,
      onRuns: (runs) => resume && !output.quiet && say(listed(runs, output.stderr.columns ?? WHOLE_LINES)),
      onRun: ({ run_id, outcome, status, reason }) => {
        const why = reason === null ? "" : `: ${plain(reason)}`;
        if (outcome === "resumed" && status !== "failed") say(green(`✓ ${run_id} ${status}${why}`));
        else say(yellow(`✗ ${run_id} ${outcome === "resumed" ? status : "was not resumed"}${why}`));
      },
    };
    const answer = await repairAll(asked.session, request, driving);
    saveProof(
      call,
      answer.repairs.flatMap(({ attempts }) => attempts),
    );
    code = answer.exit_code ?? 1;
    if (output.format !== "text") output.json(answer);
    else if (answer.errors.length > 0) refuse(answer, output);
    else if (answer.runs.length === 0)
      output.stdout.write(`${answer.warnings.map(({ message }) => plainLineOf(message)).join("\n")}\n`);
    else if (!resume) {
      output.stdout.write(`${listed(answer.runs, output.width)}\n`);
      if (!output.quiet)
        say(
          dim(
            `Repair and resume them with: ${asked.program} repair --all ${kind.includes("*") ? `'${plainLineOf(kind)}'` : plainLineOf(kind)} --resume`,
          ),
        );
    }
    return undefined;
  });
  return code;
}

const listed = (runs: readonly RunOfKind[], width: number): string =>
  columns(
    runs.map(({ run_id, file, node_id, kind, reason }) =>
      [run_id, file, node_id ?? "", kind ?? "", reason ?? ""].map(plainLineOf),
    ),
    width,
  );

function tell(news: RepairNews, output: Output, say: Say): void {
  const { bold, cyan, dim, green, red, yellow } = output.colors;
  switch (news.type) {
    case "asking":
      if (!output.quiet)
        say(dim(`Asking a model about ${news.node ?? "the output"} (attempt ${news.attempt} of ${news.attempts}) …`));
      break;
    case "proposed": {
      const { file, explanation, hunks } = news.proposal;
      say(bold(plain(file)));
      for (const { from, to, lines } of hunks) {
        say(cyan(`@@ -${from} +${to} @@`));
        for (const { sign, text } of lines) {
          const line = `${sign}${plain(text)}`;
          say(sign === "+" ? green(line) : sign === "-" ? red(line) : dim(line));
        }
      }
      if (explanation) say(plain(explanation));
      for (const { holds, said, command } of news.proof.lines)
        say(`${holds ? green("✓") : red("✗")} ${plain(said)}  ${dim(plain(command))}`);
      break;
    }
    case "refused":
      say(yellow(`Not taken: ${plain(news.reason)}`));
      break;
    case "restored":
      say(dim(`${plain(news.file)} is as it was.`));
      break;
    default:
      news satisfies never;
  }
}

function sum({ repair }: RepairAnswer, output: Output, say: Say): void {
  if (!repair) return;
  const { green, yellow, dim } = output.colors;
  const tries = amount(repair.attempts.length, "attempt");
  say(repair.fixed ? green(`✓ Repaired in ${tries}.`) : yellow(`Not repaired: ${plain(repair.reason ?? "")}.`));
  for (const backup of repair.backups) say(dim(`The file as it was: ${plain(backup)}`));
}
