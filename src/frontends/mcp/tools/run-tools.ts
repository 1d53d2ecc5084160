// Tools about workflow files (what there is, what one does, whether it is right, running it), and about runs: how one stands,
// going on with it, stopping it, and what happened.
import { z } from "zod";
import { isMapping } from "../../../base/errors/mapping.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { head } from "../../../base/results/index.ts";
import { requireGatesHeld, requireGuardedGatesHeld } from "../../../services/explain/gate-protection.ts";
import { cancelRun } from "../../../services/runs/cancel.ts";
import {
  confinedFiles,
  confineFamily,
  confinePlace,
  confineRun,
  requireRunBelow,
} from "../../../services/runs/roots.ts";
import { runEvents, showRun } from "../../../services/runs/runs.ts";
import type { Session } from "../../../services/session/session.ts";
import { type DescribeAnswer, describeWorkflow } from "../../../services/workflows/describe.ts";
import { otherKind, rulesNote, type ValidateAnswer, validateFiles } from "../../../services/workflows/validate.ts";
import { listWorkflows } from "../../../services/workflows/workflows.ts";
import { answered, belowRoot, drivenAnswer, resultAnswer, statusAnswer, type ToolUse } from "../answer.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { shortText } from "../shorten.ts";
import { failureLines } from "../text.ts";
import {
  arrayOf,
  DRIVES,
  defineTool,
  detach,
  file,
  headOutput,
  inputs,
  inputsByValue,
  run_id,
  wait_seconds,
} from "../tool.ts";

const listFiles = defineTool({
  name: "workflow_list",
  description: "The workflow files below the roots, with their names and inputs.",
  input: z.strictObject({}),
  output: headOutput({ workflows: arrayOf() }),
  async run(_, { roots, session }) {
    const answer = await listWorkflows(session, { roots });
    const lines = answer.workflows.map(
      ({ file, workflow, inputs }) =>
        `${file}: ${workflow ?? "does not load"}${inputs && inputs.length > 0 ? ` (inputs: ${inputs.join(", ")})` : ""}`,
    );
    return answered(answer, lines.join("\n") || `There is no workflow file below ${roots.join(" or ")}.`);
  },
});

const describe = defineTool({
  name: "workflow_describe",
  description:
    "Its inputs, its steps and where they lead, the errors that it can raise, and which of them are unhandled.",
  input: z.strictObject({ file }),
  output: headOutput({
    inputs: { type: ["array", "null"], items: { type: "object" }, description: "null: any" },
    steps: arrayOf(),
    unhandled: arrayOf("kinds that can leave the file"),
  }),
  run(given, { roots, session }) {
    const { root, file: path } = confineFamily(given.file, roots, session);
    const answer = describeWorkflow({ ...session, cwd: root }, { file: path });
    return answered(answer, describedText(answer));
  },
});

function validateOne(name: string, roots: readonly string[], session: Session): ValidateAnswer {
  const { root, file } = confineFamily(name, roots, session);
  return validateFiles({ ...session, cwd: root }, { files: [file] });
}

/** The file and all that it names are read below the roots only. */
async function validateOther(name: string, roots: readonly string[], session: Session): Promise<ValidateAnswer> {
  const { checkOtherFile } = await import("../../../services/workflows/check-other-file.ts");
  const overlay = confinedFiles(roots, session);
  const path = confinePlace(name, roots);
  const answer = validateFiles({ ...session, readsFrom: { overlay } }, { files: [path], checkOther: checkOtherFile });
  for (const stray of overlay.strays) confinePlace(stray, roots);
  return answer;
}

function describedText(described: DescribeAnswer): string {
  const { workflow, dialect, entry_point, inputs, steps, output, unhandled } = described;
  const taken = inputs?.map((one) => `${one.name}: ${one.type}${one.required ? "" : "?"}`).join(", ");
  const kinds = [...new Set(unhandled.map((one) => one.kind))].join(", ");
  return [
    `${workflow}${rulesNote(dialect)}: begins at ${entry_point}. Inputs: ${taken ?? "any"}. Output: ${output.join(", ") || "none"}.`,
    ...steps.map(({ node_id, type, line, members, workflow: file, routes }) => {
      const parts = [type, ...(members ? [`of ${members.join(", ")}`] : []), ...(file ? [file] : []), `line ${line}`];
      const ways = routes.map((route) => JSON.stringify(route)).join(" ");
      return `- ${node_id} (${parts.join(", ")}): ${ways || "$end"}`;
    }),
    `Unhandled: ${kinds || "none"}.`,
  ].join("\n");
}

const validate = defineTool({
  name: "workflow_validate",
  description:
    "Checks a workflow file and those that it calls; or a scenario, an eval, segno.yaml. Each finding has its rule, its place and what to do.",
  input: z.strictObject({ file }),
  async run(given, { roots, session }) {
    const answer = otherKind(given.file)
      ? await validateOther(given.file, roots, session)
      : validateOne(given.file, roots, session);
    const verdict = answer.success
      ? `${answer.file} is valid${rulesNote(answer.dialect)}.`
      : `${answer.file} is not valid.`;
    const findings = [...failureLines(answer), ...failureLines({ error: null, errors: answer.warnings })];
    return { ...resultAnswer(answer), text: [verdict, ...findings].join("\n") };
  },
});

const name = z.string().optional().describe("what the run is called");

const runFile = defineTool({
  name: "workflow_run",
  description:
    "Runs a workflow. After wait_seconds it goes on by itself; cancelling this request stops it. A failed run keeps what was done: fix the file and call run_resume.",
  input: z.strictObject({ file, inputs, name, wait_seconds, detach }),
  annotations: DRIVES,
  async run(given, call) {
    const { root, file: path } = confineFamily(given.file, call.roots, call.session);
    const order = { to: "run", file: path, inputs: inputsByValue(given.inputs), origin: { name: given.name } } as const;
    return drivenAnswer(await driveAndWait(order, given, belowRoot(call, root)));
  },
});

export const workflowTools = [listFiles, describe, validate, runFile];

const failed_items = z.boolean().default(false).describe("run the items again that its groups lost");
const changed_files = z.boolean().default(false).describe("also run steps again whose script files have changed");
const from = z.string().optional().describe("run this step again, and all that follows");
const after_seq = z.int().min(0).default(0).describe("only events after this number");

const status = defineTool({
  name: "run_status",
  description: "The result of a run as it stands, with its errors.",
  input: z.strictObject({ run_id }),
  async run(given, { session, roots }) {
    await requireRunBelow(given.run_id, roots, session);
    return statusAnswer(await showRun(session, { run: given.run_id }));
  },
});

const resume = defineTool({
  name: "run_resume",
  description:
    "Goes on with a run that failed, paused or was stopped. Completed steps are reused; what you changed in the file, and what depends on it, runs again. Give `file` when the edited workflow is another file.",
  input: z.strictObject({
    run_id,
    file: file.optional(),
    inputs,
    failed_items,
    changed_files,
    from,
    wait_seconds,
    detach,
  }),
  annotations: DRIVES,
  async run(given, call) {
    // Both, when a file is given: the inputs of another project's run must not reach a file of this one.
    if (given.file !== undefined) await requireRunBelow(given.run_id, call.roots, call.session);
    const allowed =
      given.file === undefined
        ? await confineRun(given.run_id, call.roots, call.session)
        : confineFamily(given.file, call.roots, call.session);
    const use = belowRoot(call, allowed.root);
    // Who may answer gates may answer none that is for certain people: such a one holds an agent in any case.
    const requireHeld = call.serving.mayAnswerGates ? requireGuardedGatesHeld : requireGatesHeld;
    const asked = {
      inputs: inputsByValue(given.inputs),
      rerun: { failedItems: given.failed_items, changedFiles: given.changed_files, from: given.from },
      file: given.file === undefined ? undefined : allowed.file,
    };
    await requireHeld(use.session, { ...asked, run: given.run_id });
    return drivenAnswer(await driveAndWait({ ...asked, to: "resume", target: given.run_id }, given, use));
  },
});

const cancel = defineTool({
  name: "run_cancel",
  description: "Stops a run: its steps are ended, and it can be resumed.",
  input: z.strictObject({ run_id }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async run(given, { serving, session, roots }) {
    const here = serving.runs.find(given.run_id);
    if (!here) await confineRun(given.run_id, roots, session);
    here?.stop();
    const result = here ? await here.result : await cancelRun(session, { run: given.run_id });
    // The run's own exit code is 130, but stopping it is what was asked for.
    return { ...resultAnswer(result), isError: result.status !== "cancelled" && !result.success };
  },
});

const MOST_EVENTS = 500;

const events = defineTool({
  name: "run_events",
  description: `What happened in a run, ${MOST_EVENTS} events at a time.`,
  input: z.strictObject({ run_id, after_seq }),
  output: headOutput({
    events: arrayOf(),
    next_after_seq: { type: ["integer", "null"], description: "null: no more so far" },
  }),
  async run(given, { session, roots }) {
    await requireRunBelow(given.run_id, roots, session);
    const read = await eventsOf(given.run_id, given.after_seq, session);
    const more = read.next_after_seq === null ? [] : [`There are more: after_seq ${read.next_after_seq}.`];
    return answered({ ...head(0), ...read }, [...read.events.map(eventText), ...more].join("\n"));
  },
});

/** What tells most of an event, where it has it; the object has all of it. */
const TOLD = ["kind", "message", "selected_option", "answer", "answered_by", "reason", "exit_code", "to", "output"];
const LONGEST_TOLD = 80;

/** `12 2026-01-02T00:00:00.000Z child/each[eu] agent_failed kind: git.drift; message: the branch moved` */
function eventText({ seq, ts, type, path, data }: RunEvent): string {
  const given: Readonly<Record<string, unknown>> = { ...data };
  const name = given.agent_name ?? given.node ?? given.group ?? "";
  const item = given.item_key === undefined || given.item_key === null ? "" : `[${given.item_key}]`;
  const { error } = given;
  const facts = { ...given, ...(isMapping(error) ? { kind: error.kind, message: error.message } : {}) };
  const told = TOLD.flatMap((key) => {
    const value: unknown = facts[key as keyof typeof facts];
    return value === undefined || value === null || value === ""
      ? []
      : [`${key}: ${shortText(value, LONGEST_TOLD).replaceAll("\n", " ")}`];
  });
  return [seq, ts, `${[...path, name].join("/")}${item}`, type, told.join("; ")]
    .filter((part) => part !== "")
    .join(" ");
}

async function eventsOf(run: string, after: number, session: ToolUse["session"]) {
  const events = [];
  for await (const event of runEvents(session, { run, after })) {
    const last = events.at(-1)?.seq ?? null;
    // What a script had held back is shown under the number of the event that ended it: they stay together.
    if (events.length >= MOST_EVENTS && event.seq !== last) return { events, next_after_seq: last };
    events.push(event);
  }
  return { events, next_after_seq: null };
}

export const runTools = [status, resume, cancel, events];
