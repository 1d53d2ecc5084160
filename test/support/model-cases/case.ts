// One exchange with a fake server, and what a user would notice of it.
import { expect } from "vitest";
import type { EventType } from "../../../src/base/events/registry.ts";
import type { ModelRequest, ModelResult } from "../../../src/steps/world.ts";
import type { Answers, Fake } from "../../fakes/index.ts";

export interface Outcome {
  readonly result: ModelResult;
  readonly fake: Fake;
  readonly events: readonly { readonly type: EventType; readonly data: Record<string, unknown> }[];
  /** What the clock was asked to wait, in seconds. */
  readonly waits: readonly number[];
  /** Milliseconds that really passed. */
  readonly took: number;
}

/** What differs between wire formats, as far as a case has to know. */
export interface Traits {
  readonly provider: string;
  readonly models: readonly [string, string];
  /** Has no word for tokens written to a cache. */
  readonly countsCacheWrites: boolean;
  readonly countsReasoning: boolean;
  /** Streams what the model thought. */
  readonly showsReasoning: boolean;
}

export interface Case {
  readonly name: string;
  readonly answers: Answers;
  readonly request?: Partial<ModelRequest>;
  /** Give the agent both models, not only the first. */
  readonly withFallback?: boolean;
  /** Give the agent a tool `weather__today` that answers `sunny`. */
  readonly withTool?: boolean;
  /** Abort the step once the model has been asked. */
  readonly isAborted?: boolean;
  readonly expect: (outcome: Outcome, traits: Traits) => void;
}

export const of = (outcome: Outcome, type: EventType) =>
  outcome.events.filter((event) => event.type === type).map(({ data }) => data);

export function expectAnswer({ result }: Outcome, content: unknown): void {
  expect(result).toMatchObject({ ok: true, content });
}

export function expectFailure({ result }: Outcome, kind: string, details: Record<string, unknown>): void {
  if (result.ok) throw new Error(`expected ${kind}, got the answer ${JSON.stringify(result.content)}`);
  expect(result.error.kind).toBe(kind);
  expect(result.error.details).toMatchObject(details);
}
