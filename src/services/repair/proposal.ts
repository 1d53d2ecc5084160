// A changed file that a model proposed: normalized, checked against every rule, and, without a person to review it,
// against what may be changed unattended.
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { knownFor } from "../access/people-of-run.ts";
import { overlaidFiles } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { type FailingStep, family } from "./failing.ts";
import { diffText, type Hunk, lineDiff } from "./line-diff.ts";
import type { ShownFile } from "./repaired-file.ts";
import { suggestedPaths, whyNotAlone } from "./unattended.ts";

export interface Proposal {
  readonly file: string;
  readonly node: string | null;
  readonly explanation: string;
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly Hunk[];
  /** The same as text, redacted. */
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
  asking: Pick<Session, "env" | "extensions" | "project"> & { readonly unattended: boolean },
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
    diff: diffText(hunks),
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

/** The whole family with the one file changed. */
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
  const found = loaded && [...family(loaded)].find((one) => one.file === workflow.file);
  return loaded && found
    ? { root: loaded, workflow: found }
    : { reason: "the changed file no longer belongs to the workflow" };
}
