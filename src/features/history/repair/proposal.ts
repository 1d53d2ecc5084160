// What the model is asked, and the changed file that it proposed: normalized and checked against every rule. Everything
// that is sent is redacted.
import { familyOf, type LoadedWorkflow } from "../../../language/loaded.ts";
import { validateWorkflow } from "../../../language/validate.ts";
import { knownFor } from "../../../services/project/people-of-run.ts";
import { overlaidFiles, shownPath } from "../../../services/session/files.ts";
import type { Session } from "../../../services/session/session.ts";
import { REPAIR_RULES } from "../../../services/workflows/repair-rules.ts";
import type { Attempt } from "../../../steps/step-type.ts";
import type { ModelResult, StepWorld } from "../../../steps/world.ts";
import { attemptOfNoStep, modelFor } from "../../evals/graders/grader-world.ts";
import type { FailingStep, ShownFile } from "./failing.ts";
import { type Hunk, lineDiff, patchText } from "./line-diff.ts";
import { suggestedPaths, whyNotAlone } from "./unattended.ts";

export interface Proposal {
  readonly file: string;
  readonly node: string | null;
  readonly explanation: string;
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly Hunk[];
  /** A patch for `git apply` in the working directory. Lines that hold a secret are redacted in it. */
  readonly diff: string;
}

export type Judged =
  /** With the root's file as it would be. */
  | { readonly ok: true; readonly proposal: Proposal; readonly root: LoadedWorkflow }
  | { readonly ok: false; readonly reason: string };

export function judge(
  answer: { readonly file: string; readonly explanation: string },
  failing: FailingStep,
  shown: ShownFile,
  asking: Pick<Session, "cwd" | "env" | "extensions" | "project"> & { readonly unattended: boolean },
): Judged {
  const { text, workflow, node, redactor, error } = failing;
  const restored = shown.restore(likeBefore(answer.file, text));
  if ("reason" in restored) return { ok: false, reason: restored.reason };
  const after = restored.text;
  if (after === text) return { ok: false, reason: "it changes nothing" };
  const changed = reload(failing, after, asking);
  if ("reason" in changed) return { ok: false, reason: changed.reason };
  const objection = asking.unattended
    ? whyNotAlone({
        before: workflow,
        after: changed.workflow,
        node,
        text,
        changed: after,
        suggested: suggestedPaths(error),
      })
    : undefined;
  if (objection) return { ok: false, reason: objection };
  const hunks = lineDiff(redactor.text(text), redactor.text(after));
  const proposal: Proposal = {
    file: workflow.file,
    node,
    explanation: redactor.text(answer.explanation),
    before: text,
    after,
    hunks,
    diff: patchText(shownPath(workflow.file, asking.cwd), redactor.text(text), redactor.text(after)),
  };
  return { ok: true, proposal, root: changed.root };
}

/** Models put a fence around a file, and forget its last line break. */
function likeBefore(answer: string, before: string): string {
  const [, inner] = /^\s*```[a-z]*\n([\s\S]*?)\n?```\s*$/.exec(answer) ?? [];
  const bare = (inner ?? answer).replace(/\n+$/, "");
  const text = before.includes("\r\n") ? bare.replace(/\r?\n/g, "\r\n") : bare;
  return `${text}${/\s*$/.exec(before)?.[0] ?? ""}`;
}

function reload(
  { root, workflow }: FailingStep,
  after: string,
  request: Pick<Session, "env" | "extensions" | "project">,
): { readonly root: LoadedWorkflow; readonly workflow: LoadedWorkflow } | { readonly reason: string } {
  const world = overlaidFiles(new Map([[workflow.file, after]]), request.env);
  const { workflow: loaded, findings } = validateWorkflow(root.file, world, knownFor(root.file, request));
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0)
    return {
      reason: `the changed file is not valid: ${errors
        .slice(0, 5)
        .map(({ message, location }) => `line ${location.line}: ${message}`)
        .join(" ")}`,
    };
  const found = loaded && familyOf(loaded).find((one) => one.file === workflow.file);
  return loaded && found
    ? { root: loaded, workflow: found }
    : { reason: "the changed file no longer belongs to the workflow" };
}

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
${REPAIR_RULES} Do not touch comments or formatting elsewhere, and leave lines with <redacted> exactly as they are.
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
  const { callModel } = await import("../../../providers/index.ts");
  const result = await callModel(
    {
      purpose: "answer",
      ...modelFor(failing.root, asking.provider || asking.env.SEGNO_PROVIDER, asking.model),
      system: SYSTEM,
      prompt: failing.redactor.text(
        [
          `The workflow ${failing.workflow.definition.workflow.name} failed ${failing.node === null ? "when its `output` was computed" : `in the step \`${failing.node}\``}.`,
          `The error:\n${JSON.stringify(failing.error, null, 2)}`,
          `The fields that exist:\n${failing.fields.join("\n") || "none"}`,
          `The file:\n${shown}`,
          ...(asking.problem ? [`Your last answer could not be used: ${asking.problem}`] : []),
        ].join("\n\n"),
      ),
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

function attemptFor({ root, node }: FailingStep, signal = new AbortController().signal): Attempt {
  const outside = (): never => {
    throw new Error("a repair runs nothing by itself");
  };
  const world: StepWorld = { run: outside, fetch: outside, callTool: outside, callModel: outside, env: {} };
  return { ...attemptOfNoStep("repair", root, world), node: node ?? "output", signal };
}
