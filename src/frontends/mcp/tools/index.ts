// Every tool, in the order in which an agent would come to need them.
import { z } from "zod";
import { type LetterView, listLetters, type ShownLetter, showLetter } from "../../../services/dead-letters/letters.ts";
import { requireGatesHeld, requireGuardedGatesHeld } from "../../../services/explain/gate-protection.ts";
import { type ExplainAnswer, explainRun } from "../../../services/explain/index.ts";
import { listGates } from "../../../services/gates/gates.ts";
import { refusal } from "../../../services/refusals.ts";
import { confineRun, ofRunsBelow, requireRunBelow } from "../../../services/runs/roots.ts";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../../../services/workflows/reference.ts";
import { answered, drivenAnswer, type Serving } from "../answer.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { shortText } from "../shorten.ts";
import { gateLines } from "../text.ts";
import { arrayOf, DRIVES, defineTool, detach, headOutput, run_id, type Tool, wait_seconds } from "../tool.ts";
import { historyTools, scenarioJsonSchema } from "./history-tools.ts";
import { runTools, workflowTools } from "./run-tools.ts";
import { workflowToolsBeside } from "./workflow-as-tool.ts";

const letter_id = z.string().min(1).describe("of dlq_list");
const gate = z.string().min(1).describe("its name in gate_list; needed when several wait");
const value = z.string().describe("the option's value; for one question the answer");
const additional_input = z
  .record(z.string(), z.string())
  .default({})
  .describe("texts that the option asks for; for questions the answers by id");

type ToolSettings = Pick<Serving, "mayAnswerGates"> & { readonly hasWorkflowTools?: false };

/** Those of workflows are read from their files anew: an edited one is listed as it is now. */
export function toolsFor(serving: Serving | ToolSettings): ReadonlyMap<string, Tool> {
  const own = [
    ...workflowTools,
    ...runTools,
    explain,
    ...historyTools,
    gateList,
    ...(serving.mayAnswerGates ? [gateAnswer] : []),
    ...letterTools,
    schemaGet,
  ];
  const all = serving.hasWorkflowTools ? [...own, ...workflowToolsBeside(own, serving)] : own;
  return new Map(all.map((tool) => [tool.name, tool]));
}

const schemaGet = defineTool({
  name: "schema_get",
  description: "A JSON Schema: of one `type` of step or group, of workflow files, scenarios or results.",
  input: z.strictObject({
    of: z.enum(["workflow", "scenario", "result"]).optional().describe("workflow when left out"),
    type: z.enum(NODE_TYPES).optional(),
  }),
  output: { type: "object" },
  async run({ of, type }, { session }) {
    if (of !== undefined && of !== "workflow" && type !== undefined)
      throw refusal(`schema_get cannot be called like this: a ${of} has no \`type\` of step or group`, {
        hint: `Call schema_get with {"of":"${of}"}, or with {"type":${JSON.stringify(type)}}.`,
      });
    const whole = () => {
      if (of === "scenario") return scenarioJsonSchema();
      return of === "result" ? schemaOfResult() : languageSchema(session.extensions);
    };
    const object = (type === undefined ? await whole() : nodeSchema(type)) as Record<string, unknown>;
    // The schema is what was asked for, so the text is no shorter.
    return { object, text: JSON.stringify(object), isError: false };
  },
});

const explain = defineTool({
  name: "run_explain",
  description:
    "Why a run went as it did: what raised, why each route matched or not, and what a resume would run again.",
  input: z.strictObject({ run_id }),
  output: headOutput({
    chapters: arrayOf("one for each time it was driven"),
    resume: { type: ["object", "null"] },
    next: { type: "array", items: { type: "string" } },
  }),
  async run(given, { session, roots }) {
    await requireRunBelow(given.run_id, roots, session);
    const answer = await explainRun(session, { run: given.run_id });
    return answered(answer, story(answer));
  },
});

function story({ run, chapters, next }: ExplainAnswer): string {
  const troubles = chapters
    .flatMap((chapter) => chapter.troubles)
    .flatMap(({ node_id, path, raised, routes, ending }) => [
      ...raised.map(({ kind, message }) => `${[...path, node_id].join("/")} raised ${kind}: ${message}`),
      ...routes.map(({ text, taken, why }) => `  ${taken ? "taken" : "not taken"}: ${text} (${why})`),
      `  ${ending.type}`,
    ]);
  return [
    `Run ${run?.run_id}: ${run?.status}${run?.headline ? `, ${run.headline}` : ""}`,
    ...troubles,
    ...next.map((advice) => `Next: ${advice}`),
  ].join("\n");
}

// Tools about gates. A gate is there to hold the agent, so answering one is not offered unless the server allows it.

const gateList = defineTool({
  name: "gate_list",
  description: "The questions to people that runs wait on: options, inputs of the run, who may answer.",
  input: z.strictObject({}),
  output: headOutput({ gates: arrayOf() }),
  async run(_, { session, roots }) {
    const all = await listGates(session);
    const answer = { ...all, gates: await ofRunsBelow(all.gates, roots, session) };
    const lines = answer.gates.flatMap((one) => [
      `Run ${one.run_id} of ${one.workflow ?? "a workflow"}, asked at ${one.presented_at}:`,
      ...Object.entries(one.inputs).map(([name, given]) => `- input ${name}: ${given}`),
      ...gateLines(one),
    ]);
    return answered(answer, lines.join("\n") || "No question waits for an answer.");
  },
});

const gateAnswer = defineTool({
  name: "gate_answer",
  description: "Answers a gate and drives the run on. Your name is recorded.",
  input: z.strictObject({ run_id, gate: gate.optional(), value, additional_input, wait_seconds, detach }),
  annotations: DRIVES,
  async run(given, call) {
    await confineRun(given.run_id, call.roots, call.session);
    const { run_id: run, value, gate, additional_input: inputs } = given;
    const order = { to: "answer", run, value, gate, inputs, via: `mcp:${call.client}` } as const;
    return drivenAnswer(await driveAndWait(order, given, call));
  },
});

// Tools about dead letters: what was given up for good, and trying it again.

const letters = headOutput({ letters: arrayOf("newest first") });

const list = defineTool({
  name: "dlq_list",
  description: "Steps and items that failed for good; with letter_id all that is known of one.",
  input: z.strictObject({ letter_id: letter_id.optional() }),
  output: letters,
  async run(given, { session, roots }) {
    const all = await (given.letter_id === undefined
      ? listLetters(session, {})
      : showLetter(session, { id: given.letter_id }));
    const answer = { ...all, letters: await ofRunsBelow<LetterView>(all.letters, roots, session) };
    const lines = answer.letters.flatMap(letterLines);
    return answered(answer, lines.join("\n") || "There are no dead letters.");
  },
});

/** Of a letter that was asked for by its id, also what the step was given and each attempt. */
function letterLines(one: LetterView & Partial<ShownLetter>): readonly string[] {
  const { id, status, node_id, item_key, run_id, kind, message, path, item, inputs, history, workflow_file } = one;
  const place = `${[...path, node_id].join("/")}${item_key === undefined ? "" : `[${item_key}]`}`;
  const line = `${id} ${status}: ${place} of run ${run_id} raised ${kind}: ${message}`;
  if (history === undefined) return [line];
  return [
    line,
    `- of ${one.workflow} (${one.file}${workflow_file === "unchanged" ? "" : `, ${workflow_file}`}), ${one.type}, tried ${one.attempts} times, given up ${one.count} times from ${one.first_seen} to ${one.last_seen}`,
    ...(item === undefined ? [] : [`- item: ${shortText(item)}`]),
    ...(inputs === undefined ? [] : [`- inputs: ${shortText(inputs)}`]),
    ...(one.envelope ? [`- details: ${shortText(one.envelope.details)}`] : []),
    ...history.map(({ attempt, kind: was, message: said }) => `- attempt ${attempt}: ${was}: ${shortText(said)}`),
    ...(one.acts ?? []).map(({ what, by, at }) => `- ${what} by ${by} at ${at}`),
  ];
}

const retry = defineTool({
  name: "dlq_retry",
  description: "Runs exactly that failed step or item again, and the run goes on from there.",
  input: z.strictObject({ letter_id, wait_seconds, detach }),
  annotations: DRIVES,
  async run(given, call) {
    const { letters: found } = await listLetters(call.session, { ids: [given.letter_id] });
    for (const { run_id } of found) {
      await confineRun(run_id, call.roots, call.session);
      const requireHeld = call.serving.mayAnswerGates ? requireGuardedGatesHeld : requireGatesHeld;
      await requireHeld(call.session, { run: run_id });
    }
    const answer = await driveAndWait({ to: "retry", ids: [given.letter_id] }, given, call);
    if ("status" in answer) return drivenAnswer(answer);
    throw refusal(`the letter ${given.letter_id} is not open any more`, {
      hint: "dlq_list lists those that are open.",
    });
  },
});

const letterTools = [list, retry];
