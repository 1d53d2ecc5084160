// Tools about dead letters: what was given up for good, and trying it again.
import { z } from "zod";
import { confineRun, ofRunsBelow } from "../../services/access/roots.ts";
import { requireGatesHeld, requireGuardedGatesHeld } from "../../services/gates/gate-protection.ts";
import { type LetterView, listLetters, showLetter } from "../../services/letters/letters.ts";
import { detach, letter_id, wait_seconds } from "../arguments.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { arrayOf, headOutput } from "../output-schema.ts";
import { drivenAnswer } from "../said.ts";
import { answered } from "../session.ts";
import { DRIVES, defineTool } from "../tool.ts";

const letters = () => headOutput({ letters: arrayOf("newest first") });

const list = defineTool({
  name: "dlq_list",
  description: "Steps and items that failed for good; with letter_id all that is known of one.",
  input: z.strictObject({ letter_id: letter_id.optional() }),
  output: letters,
  annotations: { readOnlyHint: true },
  async run(given, { session, roots }) {
    const all = await (given.letter_id === undefined
      ? listLetters(session, {})
      : showLetter(session, { id: given.letter_id }));
    const answer = { ...all, letters: await ofRunsBelow<LetterView>(all.letters, roots, session) };
    const lines = answer.letters.map(
      (one) => `${one.id} ${one.status}: ${one.node_id} of run ${one.run_id} raised ${one.kind}: ${one.message}`,
    );
    return answered(answer, lines.join("\n") || "There are no dead letters.");
  },
});

const retry = defineTool({
  name: "dlq_retry",
  description: "Runs exactly that failed step or item again, and the run goes on from there.",
  input: z.strictObject({ letter_id, wait_seconds, detach }),
  output: letters,
  annotations: DRIVES,
  async run(given, call) {
    const { letters: found } = await listLetters(call.session, { ids: [given.letter_id] });
    for (const { run_id } of found) {
      await confineRun(run_id, call.roots, call.session);
      const requireHeld = call.serving.mayAnswerGates ? requireGuardedGatesHeld : requireGatesHeld;
      await requireHeld(call.session, { run: run_id });
    }
    const answer = await driveAndWait({ to: "retry", ids: [given.letter_id] }, given, call);
    return "status" in answer ? drivenAnswer(answer) : answered(answer, "No open letter is like that.");
  },
});

export const letterTools = [list, retry];
