// What the model is asked, and how its answer is read. Everything that is sent is redacted.
import { realClock } from "../../hosts/clock.ts";
import { canonicalName } from "../../providers/registry.ts";
import type { Attempt } from "../../steps/executor.ts";
import type { ModelResult, StepWorld } from "../../steps/world.ts";
import type { Session } from "../session/session.ts";
import type { FailingStep } from "./failing.ts";

export interface ModelAsking extends Pick<Session, "env"> {
  readonly provider?: string;
  readonly model?: string;
  readonly signal?: AbortSignal;
  /** Why the last answer could not be used. */
  readonly problem?: string;
}

export type ModelAnswer =
  | { readonly ok: true; readonly file: string; readonly explanation: string }
  /** `unreachable`: asking again is of no use. */
  | { readonly ok: false; readonly reason: string; readonly unreachable: boolean };

const SYSTEM = `You repair workflow files. You are given a file, one of its steps that failed, the error, and the fields that exist.
Answer with the whole file, changed as little as possible so that this step no longer fails.
Change only the failing step. Do not change command, args, env or policies, do not remove checks, do not touch comments or formatting elsewhere, and leave lines with <redacted> exactly as they are.
If the file is not what is wrong, answer with an empty file and say why.`;

const SCHEMA = {
  type: "object",
  properties: {
    explanation: { type: "string", description: "what was wrong and what you changed, in a sentence or two" },
    file: { type: "string", description: "the whole changed file; empty when no change of it helps" },
  },
  required: ["explanation", "file"],
  additionalProperties: false,
} as const;

export async function askModel(failing: FailingStep, shown: string, asking: ModelAsking): Promise<ModelAnswer> {
  const { callModel } = await import("../../providers/index.ts");
  const { runtime } = failing.root.definition.workflow;
  const provider = asking.provider || asking.env.SEGNO_PROVIDER || runtime.provider.name;
  const { name, ...settings } = runtime.provider;
  const isSame = canonicalName(name) === canonicalName(provider);
  const model = asking.model ?? (isSame ? runtime.default_model : undefined);
  const result = await callModel(
    {
      purpose: "answer",
      provider,
      // A gateway and its credentials are for the provider that they were given for.
      settings: isSame ? settings : {},
      models: typeof model === "string" && model !== "" ? [model] : [],
      system: SYSTEM,
      prompt: failing.redactor.text(question(failing, shown, asking.problem)),
      schema: SCHEMA,
      raises: [],
      tools: [],
      options: {},
    },
    attemptFor(failing, asking.signal),
    { env: asking.env, pricing: failing.root.definition.workflow.cost.pricing },
  );
  return read(result);
}

function question({ node, error, fields, workflow }: FailingStep, shown: string, problem: string | undefined): string {
  return [
    `The workflow ${workflow.definition.workflow.name} failed ${node === null ? "when its `output` was computed" : `in the step \`${node}\``}.`,
    `The error:\n${JSON.stringify(error, null, 2)}`,
    `The fields that exist:\n${fields.join("\n") || "none"}`,
    `The file:\n${shown}`,
    ...(problem ? [`Your last answer could not be used: ${problem}`] : []),
  ].join("\n\n");
}

function read(result: ModelResult): ModelAnswer {
  if (!result.ok)
    return { ok: false, reason: `the model could not be asked: ${result.error.message}`, unreachable: true };
  const { content } = result;
  const { file, explanation } = (typeof content === "object" && content !== null ? content : {}) as Record<
    string,
    unknown
  >;
  if (typeof file !== "string") return { ok: false, reason: "the answer holds no file", unreachable: false };
  const why = typeof explanation === "string" ? explanation : "";
  if (file.trim() === "") return { ok: false, reason: `the model sees nothing to change: ${why}`, unreachable: true };
  return { ok: true, file, explanation: why };
}

/** A call of a model belongs to an attempt of a step; this one belongs to none, and its answer is not recorded. */
function attemptFor({ root, node }: FailingStep, signal: AbortSignal | undefined): Attempt {
  const { file, dir, definition } = root;
  const outside = (): never => {
    throw new Error("a repair runs nothing by itself");
  };
  const world: StepWorld = { run: outside, fetch: outside, callTool: outside, callModel: outside, env: {} };
  return {
    node: node ?? "output",
    key: "repair",
    attempt: 1,
    path: [],
    workflow: { name: definition.workflow.name, file, dir, rootDir: dir, runtime: definition.workflow.runtime },
    signal: signal ?? new AbortController().signal,
    idempotencyKey: "repair",
    clock: realClock,
    spillDir: dir,
    world,
    assertLease: () => undefined,
    emit: () => {},
  };
}
