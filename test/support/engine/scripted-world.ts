// What script steps do, by step name. Each takes the next of its answers, and the last one again and again.
import { type FileDigest, isOfHash, PATTERN_MARK } from "../../../src/base/events/step-files.ts";
import type { Caller } from "../../../src/steps/caller.ts";
import type { ModelResult, ProcessResult, StepWorld } from "../../../src/steps/world.ts";

/**
 * A text is what the script prints; one that hangs never ends by itself, others take some seconds of virtual time. One with
 * `printsOn` has exited, and its background processes print until the attempt is aborted.
 */
type PlainAnswer =
  | string
  | { readonly kind: string; readonly details?: Readonly<Record<string, unknown>> }
  | { readonly exitCode: number; readonly printsOn?: true }
  /** The system's code for why it was not started. */
  | { readonly notStarted: string }
  | { readonly seconds: number }
  | { readonly hangs: true };

/** A function answers by what the script is called with. */
export type ScriptAnswer = PlainAnswer | ((attempt: Caller, args: readonly string[]) => PlainAnswer);

export type ScriptAnswers = Readonly<Record<string, readonly ScriptAnswer[]>>;

/** An error that a script raises. */
export const raises = (kind: string, details: Readonly<Record<string, unknown>> = {}): PlainAnswer => ({
  kind,
  details,
});

/** What agents answer, by the call. */
export type ModelAnswers = (attempt: Caller) => ModelResult;

const noModels: ModelAnswers = () => {
  throw new Error("no models here");
};

/** `files`: digests by path, and by pattern. A script may change them while it runs. */
export function scriptedWorld(
  answers: ScriptAnswers,
  ran: (attempt: Caller) => void,
  { files = {}, models = noModels }: { files?: Readonly<Record<string, string>>; models?: ModelAnswers } = {},
): StepWorld {
  const used = new Map<string, number>();
  const next = (node: string): ScriptAnswer => {
    const list = answers[node] ?? ["ok"];
    const index = used.get(node) ?? 0;
    used.set(node, index + 1);
    return list[Math.min(index, list.length - 1)] ?? "ok";
  };
  const isThere = (path: string): boolean => Object.hasOwn(files, path);
  const fileOf = (path: string): FileDigest => ({ path, digest: `sha256:${files[path]}` });
  const patternOf = (path: string): FileDigest => ({ path, digest: `${PATTERN_MARK}1:${files[path]}` });
  return {
    env: {},
    files: {
      named: ({ args }) => args.filter(isThere).map(fileOf),
      matched: (patterns) => patterns.map(patternOf),
      changed: (known) =>
        known
          .filter((file) => (isOfHash(file) ? patternOf(file.path) : fileOf(file.path)).digest !== file.digest)
          .map(({ path }) => path),
    },
    async run({ args }, attempt) {
      await attempt.assertLease();
      ran(attempt);
      const given = next(attempt.node);
      const answer = typeof given === "function" ? given(attempt, args) : given;
      if (typeof answer !== "string" && "seconds" in answer) await attempt.clock.sleep(answer.seconds * 1000);
      if (typeof answer !== "string" && ("hangs" in answer || "printsOn" in answer))
        await new Promise<void>((resolve) => attempt.signal.addEventListener("abort", () => resolve(), { once: true }));
      return resultOf(answer);
    },
    fetch: async () => ({ answered: false, code: "ECONNREFUSED", message: "connection refused" }),
    callTool: () => Promise.reject(new Error("no tools here")),
    callModel: async (_, attempt) => models(attempt),
  };
}

function resultOf(answer: PlainAnswer): ProcessResult {
  const isText = typeof answer === "string";
  if (!isText && "notStarted" in answer)
    return { started: false, code: answer.notStarted, message: `spawn work ${answer.notStarted}` };
  const wasEnded = !isText && "hangs" in answer;
  const raised =
    !isText && "kind" in answer ? { message: `${answer.kind} happened`, details: {}, ...answer } : undefined;
  return {
    ...(wasEnded ? { interrupted: true } : {}),
    started: true,
    exitCode: !isText && "exitCode" in answer ? answer.exitCode : wasEnded ? null : 0,
    signal: wasEnded ? "SIGTERM" : null,
    stdout: captured(isText ? answer : ""),
    stderr: captured(""),
    errorFile: { text: raised ? JSON.stringify(raised) : "" },
  };
}

const captured = (text: string) => ({ text, bytes: text.length, truncated: false });
