// Whether what `on_run` waits for can come: the kinds that it names, and the workflow whose runs it follows.
import { isEngineKind, isSelectorWord, KINDS, matches } from "../../errors/index.ts";
import { didYouMean, nearest } from "../../errors/nearest.ts";
import type { NodePath } from "../../language/loaded.ts";
import type { Trigger } from "../../triggers/schema.ts";
import { offers } from "../project/acting-files.ts";
import type { Project } from "../project/read-project.ts";
import type { Session } from "../session/session.ts";
import { listWorkflows } from "../workflows/workflows.ts";

interface KindProblem {
  readonly path: NodePath;
  readonly message: string;
}

/** Kinds of their own a workflow's authors make up; what the engine raises is known. */
export function kindProblems({ kind = [], status }: NonNullable<Trigger["on_run"]>): readonly KindProblem[] {
  const wrong = kind.flatMap((word, index): KindProblem[] => {
    const message = whyNoKind(word);
    return message === undefined ? [] : [{ path: ["on_run", "kind", index], message }];
  });
  const neverFits = kind.length > 0 && status?.length && status.every((one) => one === "completed");
  const message =
    "`on_run` wants a run that completed and an error kind, and a run that completed has none. Leave one of them out.";
  return neverFits ? [...wrong, { path: ["on_run", "kind"], message }] : wrong;
}

function whyNoKind(word: string): string | undefined {
  if (!isSelectorWord(word))
    return `${JSON.stringify(word)} under \`on_run.kind\` is no kind. A kind is a dotted lower-case name such as \`release.failed\`; \`release.*\` is all that begin with it.`;
  if (isEngineKind(word) && ![...KINDS.keys()].some((known) => matches(word, known)))
    return `no run ends with \`${word}\`: it is not one of the engine's kinds.${didYouMean(nearest(word, KINDS.keys()))}`;
  return undefined;
}

/** What the project's workflows are called; nothing where there are too many to look at. */
export function workflowNames(
  { dir, settings }: Project,
  { env, extensions }: Pick<Session, "env" | "extensions">,
): readonly string[] | undefined {
  const { workflows, truncated } = listWorkflows(
    {
      cwd: dir,
      env,
      extensions,
      project: settings.workflows.length > 0 ? { offers: offers(settings.workflows, dir) } : {},
    },
    { roots: [dir] },
  );
  return truncated ? undefined : workflows.flatMap(({ workflow }) => workflow ?? []);
}
