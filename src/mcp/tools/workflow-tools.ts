// Tools about workflow files: what there is, what one does, whether it is right, and running it.
import { z } from "zod";
import { confineFamily } from "../../services/access/roots.ts";
import { describeWorkflow } from "../../services/workflows/describe.ts";
import { validateFiles } from "../../services/workflows/validate.ts";
import { listWorkflows } from "../../services/workflows/workflows.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { answered, drivenAnswer, findingLine, resultAnswer } from "../said.ts";
import { belowRoot } from "../session.ts";
import {
  arrayOf,
  DRIVES,
  defineTool,
  detach,
  file,
  headOutput,
  inputs,
  inputsByValue,
  resultOutput,
  wait_seconds,
} from "../tool.ts";

const list = defineTool({
  name: "workflow_list",
  description: "The workflow files below the roots, with their names and inputs.",
  input: z.strictObject({}),
  output: () => headOutput({ workflows: arrayOf() }),
  annotations: { readOnlyHint: true },
  async run(_, { roots, session }) {
    const answer = await listWorkflows(session, { roots });
    const lines = answer.workflows.map((one) => `${one.file}: ${one.workflow ?? "does not load"}`);
    return answered(answer, lines.join("\n") || `There is no workflow file below ${roots.join(" or ")}.`);
  },
});

const describe = defineTool({
  name: "workflow_describe",
  description:
    "Its inputs, its steps and where they lead, the errors that it can raise, and which of them are unhandled.",
  input: z.strictObject({ file }),
  output: () =>
    headOutput({
      inputs: { type: ["array", "null"], items: { type: "object" }, description: "null: any" },
      steps: arrayOf(),
      unhandled: arrayOf("kinds that can leave the file"),
    }),
  annotations: { readOnlyHint: true },
  run(given, { roots, session }) {
    const { root, file: path } = confineFamily(given.file, roots, session);
    const answer = describeWorkflow({ ...session, cwd: root }, { file: path });
    const steps = answer.steps.map((step) => `${step.node_id} (${step.type})`).join(", ");
    const taken = answer.inputs?.map((one) => `${one.name}: ${one.type}${one.required ? "" : "?"}`).join(", ");
    const unhandled = [...new Set(answer.unhandled.map((one) => one.kind))].join(", ");
    return answered(
      answer,
      `${answer.workflow}: steps ${steps}. Inputs: ${taken ?? "any"}. Unhandled: ${unhandled || "none"}.`,
    );
  },
});

const validate = defineTool({
  name: "workflow_validate",
  description: "Checks a workflow file and those that it calls. Each finding has its rule, its place and what to do.",
  input: z.strictObject({ file }),
  output: () => resultOutput(),
  annotations: { readOnlyHint: true },
  run(given, { roots, session }) {
    const { root, file: path } = confineFamily(given.file, roots, session);
    const answer = validateFiles({ ...session, cwd: root }, { files: [path] });
    const findings = [...answer.errors, ...answer.warnings].map(findingLine);
    const verdict = answer.success ? `${answer.file} is valid.` : `${answer.file} is not valid.`;
    return { ...resultAnswer(answer), text: [verdict, ...findings].join("\n") };
  },
});

const run = defineTool({
  name: "workflow_run",
  description:
    "Runs a workflow. After wait_seconds it goes on by itself; cancelling this request stops it. A failed run keeps what was done: fix the file and call run_resume.",
  input: z.strictObject({ file, inputs, wait_seconds, detach }),
  output: () => resultOutput(),
  annotations: DRIVES,
  async run(given, call) {
    const { root, file: path } = confineFamily(given.file, call.roots, call.session);
    const order = { to: "run", file: path, inputs: inputsByValue(given.inputs) } as const;
    return drivenAnswer(await driveAndWait(order, given, belowRoot(call, root)));
  },
});

export const workflowTools = [list, describe, validate, run];
