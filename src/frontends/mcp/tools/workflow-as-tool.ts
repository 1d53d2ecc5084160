// One tool for each workflow that asks for it: its inputs are the arguments, and its answer is the run's result. The list of
// tools is put before every conversation, so it is kept short: what does not fit is shortenToFit, then left out.

import { withRefusals } from "../../../services/refusals.ts";
import { confineFamily } from "../../../services/runs/roots.ts";
import { type WorkflowAsTool, workflowsAsTools } from "../../../services/workflows/workflow-tools.ts";
import { belowRoot, drivenAnswer, resultAnswer, type Serving } from "../answer.ts";
import { driveAndWait } from "../drive-and-wait.ts";
import { DRIVES, inputsByValue, LONGEST_REQUEST_SECONDS, type ObjectSchema, type Tool } from "../tool.ts";

const MOST_TOOLS = 20;
/** Of the whole list as JSON: 5 000 tokens by any tokenizer. */
const MOST_CHARACTERS = 5000 * 3.5 - 200;

interface Words {
  readonly description: number;
  readonly kinds: number;
  readonly hasDetails: boolean;
  readonly hasOutput: boolean;
}

const WORDS: readonly Words[] = [
  { description: 300, kinds: 8, hasDetails: true, hasOutput: true },
  { description: 120, kinds: 3, hasDetails: false, hasOutput: true },
  { description: 80, kinds: 1, hasDetails: false, hasOutput: false },
];

const sizeOf = (tools: readonly Tool[]): number => JSON.stringify(tools).length;

/** As many as fit beside `others`, in as many words as there is room for. */
export function workflowToolsBeside(others: readonly Tool[], { session, roots }: Serving): readonly Tool[] {
  const folders = roots.length > 0 ? roots : [session.cwd];
  const found = workflowsAsTools(session, { roots: folders }).slice(0, MOST_TOOLS);
  const room = MOST_CHARACTERS - sizeOf(others);
  const all = WORDS.map((words) => named(found, others, words));
  const fitting = all.find((tools) => sizeOf(tools) <= room);
  if (fitting) return fitting;
  const shortest = all.at(-1) ?? [];
  return shortest.filter((_, index) => sizeOf(shortest.slice(0, index + 1)) <= room);
}

function named(found: readonly WorkflowAsTool[], others: readonly Tool[], words: Words): readonly Tool[] {
  const taken = new Set(others.map(({ name }) => name));
  return found.map((workflow) => {
    const name = workflow.name.replace(/[^\w-]+/g, "_").slice(0, 56) || "workflow";
    let free = name;
    for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
    taken.add(free);
    return toolOf(workflow, free, words);
  });
}

function toolOf(workflow: WorkflowAsTool, name: string, words: Words): Tool {
  return {
    name,
    description: descriptionOf(workflow, words),
    inputSchema: inputSchemaOf(workflow, words),
    ...(words.hasOutput ? { outputSchema: outputSchemaOf(workflow) } : {}),
    // Those of a workflow that says nothing are what a client takes for granted anyway.
    ...(words.hasDetails || saysHints(workflow) ? { annotations: annotationsOf(workflow) } : {}),
    call: (given, use) =>
      withRefusals(
        use.session,
        async () => {
          const { root, file } = confineFamily(workflow.file, use.roots, use.session);
          const inputs = inputsByValue((given ?? {}) as Readonly<Record<string, unknown>>);
          const wait = { wait_seconds: workflow.isWaitedFor ? LONGEST_REQUEST_SECONDS : 50, detach: true };
          return drivenAnswer(await driveAndWait({ to: "run", file, inputs }, wait, belowRoot(use, root)));
        },
        resultAnswer,
      ),
  };
}

const saysHints = ({ hints }: WorkflowAsTool): boolean =>
  hints.read_only !== undefined || hints.destructive !== undefined;

const annotationsOf = ({ hints: { read_only, destructive } }: WorkflowAsTool): NonNullable<Tool["annotations"]> => ({
  readOnlyHint: read_only ?? DRIVES.readOnlyHint,
  destructiveHint: destructive ?? (read_only ? false : DRIVES.destructiveHint),
});

function descriptionOf({ description, name, kinds }: WorkflowAsTool, words: Words): string {
  const text = description?.trim() || `Runs the workflow ${name}.`;
  const about = text.length > words.description ? `${text.slice(0, words.description - 1)}…` : text;
  const shown = kinds.slice(0, words.kinds).join(", ");
  if (shown === "") return about;
  return `${about} Can fail with: ${shown}${kinds.length > words.kinds ? " …" : ""}`;
}

function inputSchemaOf({ inputs, required }: WorkflowAsTool, { hasDetails }: Words): ObjectSchema {
  if (!inputs) return { type: "object" };
  const fields = Object.entries(inputs).map(([name, field]) => [name, hasDetails ? field : { type: field.type }]);
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.length > 0 ? { required } : {}),
    ...(hasDetails ? { additionalProperties: false } : {}),
  };
}

/** Null while the run goes on or waits. */
const outputSchemaOf = ({ output }: WorkflowAsTool): ObjectSchema => ({
  type: "object",
  properties: { status: { type: "string" }, output: output ? { type: ["object", "null"], properties: output } : {} },
});
