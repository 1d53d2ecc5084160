// Which session an agent works in (a new one, the one that its key names, or the one in which it was interrupted), and how
// long it may take.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import type { Caller, Clock } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import type { AgentSession } from "./agent.ts";
import { withoutDetails } from "./permissions.ts";

/** Sessions of a drive, by `session_key` and by attempt: a re-prompt goes on where the answer was given. */
export type AgentSessions = Map<string, string>;

export interface ChosenSession extends AgentSession {
  /** The prompt that replaces the task, which the agent knows; empty where the task is new to it. */
  readonly note: string;
}

/** Thrown by an agent that does not know the session it was to go on with. */
export class SessionGone extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`the session ${id} is not there any more`, options);
    this.name = "SessionGone";
  }
}

export const INTERRUPTED =
  "You were interrupted before you were done. What you did so far is done: look at the files before you do anything again, then go on and finish the task.";
export const CUT_OFF =
  "The connection to the model failed in the middle of your work. What you did so far is done; go on and finish the task.";

export interface SessionChoice {
  readonly provider: string;
  readonly request: ModelRequest;
  readonly attempt: Caller;
  readonly sessionKey: string | null;
  readonly sessions: AgentSessions | undefined;
}

export function chooseSession({ provider, request, attempt, sessionKey, sessions }: SessionChoice): ChosenSession {
  const { session, permissions } = attempt;
  if (request.purpose !== "answer") return newSession();
  const ofAttempt = sessions?.get(attempt.idempotencyKey);
  if (request.correction !== undefined && ofAttempt) return { id: ofAttempt, isNew: false, note: request.correction };
  if (session?.interrupted && session.provider === provider && !ofAttempt)
    return { id: session.id, isNew: false, note: [INTERRUPTED, ...answersTo(permissions?.given ?? [])].join("\n") };
  const named = sessionKey ? (sessions?.get(nameOf(sessionKey)) ?? session?.named) : undefined;
  return named ? { id: named, isNew: false, note: "" } : newSession();
}

export const newSession = (): ChosenSession => ({ id: randomUUID(), isNew: true, note: "" });

const answersTo = (given: readonly { readonly what: string; readonly allowed: boolean }[]): string[] =>
  given.map(({ what, allowed }) => {
    const wish = withoutDetails(what);
    const end = wish.includes("\n") ? "\n\n" : ". ";
    return `You asked whether you may ${wish}${end}The answer is ${allowed ? "yes" : "no"}.`;
  });

export function keepSession({ sessions, attempt, sessionKey }: SessionChoice, id: string): void {
  sessions?.set(attempt.idempotencyKey, id);
  if (sessionKey) sessions?.set(nameOf(sessionKey), id);
}

const nameOf = (sessionKey: string): string => `session_key:${sessionKey}`;

/** The agent's own folder: one for each session key, else one for each visit, in the run's folder. */
export function agentHome({
  provider,
  attempt,
  sessionKey,
}: Pick<SessionChoice, "provider" | "attempt" | "sessionKey">): string {
  const whose = sessionKey ? nameOf(sessionKey) : attempt.key;
  const digest = createHash("sha256").update(whose).digest("hex").slice(0, 12);
  return join(dirname(attempt.spillDir), "agents", `${provider}-${digest}`);
}

// A session that an agent keeps as a file of JSON lines. What a power cut leaves may be an empty file or a piece of one: it
// is worth going on with only when the task that was given is in it.

export type SessionLine = Readonly<Record<string, unknown>>;

/** Looks at lines from the first on, until it is said whether the task is there. */
export async function tellsTask(
  file: string,
  look: (line: SessionLine) => "task" | "damaged" | "go on",
): Promise<boolean> {
  const input = createReadStream(file);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const said = look(mappingIn(text));
      if (said !== "go on") return said === "task";
    }
    return false;
  } catch {
    return false;
  } finally {
    input.destroy();
  }
}

function mappingIn(text: string): SessionLine {
  try {
    const value = parseJson(text, false);
    return isMapping(value) ? value : {};
  } catch {
    return {};
  }
}

export interface AgentPatience {
  readonly signal: AbortSignal;
  /** It lives: the wait for the next sign begins anew. */
  heard(): void;
  /** Stops the idle clock while the agent waits for a person or a tool. */
  whileWaiting<Value>(wait: Promise<Value>): Promise<Value>;
  over(): "idle" | "session" | undefined;
  clear(): void;
}

export interface PatienceLimits {
  readonly idleSeconds: number;
  /** Infinity: as long as it takes. */
  readonly sessionSeconds: number;
}

export function startPatience(
  { idleSeconds, sessionSeconds }: PatienceLimits,
  outer: AbortSignal,
  clock: Pick<Clock, "after">,
): AgentPatience {
  const controller = new AbortController();
  let over: "idle" | "session" | undefined;
  let waiting = 0;
  let cancelIdle = (): void => {};
  const stop = (): void => controller.abort(outer.reason);
  const giveUp = (why: "idle" | "session"): void => {
    if (controller.signal.aborted) return;
    over = why;
    controller.abort(new Error(`${why} limit`));
  };
  const limit = (seconds: number, why: "idle" | "session"): (() => void) =>
    seconds === Number.POSITIVE_INFINITY ? () => {} : clock.after(seconds * 1000, () => giveUp(why));
  const heard = (): void => {
    cancelIdle();
    cancelIdle = waiting > 0 || controller.signal.aborted ? () => {} : limit(idleSeconds, "idle");
  };
  const cancelSession = limit(sessionSeconds, "session");
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  heard();
  return {
    signal: controller.signal,
    heard,
    async whileWaiting(wait) {
      waiting += 1;
      heard();
      try {
        return await wait;
      } finally {
        waiting -= 1;
        heard();
      }
    },
    over: () => over,
    clear: () => {
      cancelIdle();
      cancelSession();
      outer.removeEventListener("abort", stop);
    },
  };
}
