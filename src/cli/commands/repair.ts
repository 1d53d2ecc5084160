// `segno repair`: shows what a model would change, asks, and shows how the run goes on.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { proofMarkdown, type RepairAnswer, type RepairNews, repairRun } from "../../services/repair.ts";
import type { Call } from "../command.ts";
import { drive, type Say } from "../drive.ts";
import type { Output } from "../output.ts";
import { amount } from "../text/amount.ts";
import { plain } from "../text/harmless.ts";

export default function repair(call: Call): Promise<number> {
  const { asked, output } = call;
  const attempts = asked.number("attempts");
  const provider = asked.text("provider");
  const model = asked.text("model");
  return drive(call, async (driving, say) => {
    const answer = await repairRun({
      ...driving,
      run: asked.required(0),
      yes: asked.flag("yes"),
      tell: (news) => tell(news, output, say),
      ...(attempts === undefined ? {} : { attempts }),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
    });
    if (output.format === "text") sum(answer, output, say);
    const file = asked.text("proof");
    const proof = answer.repair?.attempts.findLast((one) => one.proof)?.proof;
    if (file !== undefined && proof) writeFileSync(resolve(asked.cwd, file), proofMarkdown(proof));
    return answer;
  });
}

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
