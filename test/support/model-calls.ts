// What the tests of this room share: an attempt that records its events, on a clock that never waits.
import type { EventData, EventType } from "../../src/base/events/registry.ts";
import type { Attempt } from "../../src/steps/step-type.ts";
import type { ModelRequest, StepWorld } from "../../src/steps/world.ts";

export interface Recorded {
  readonly type: EventType;
  readonly data: Record<string, unknown>;
}

export interface TestAttempt {
  readonly attempt: Attempt;
  readonly events: readonly Recorded[];
  /** Seconds that the clock was asked to wait. */
  readonly waits: readonly number[];
}

export interface TestAttemptOptions {
  readonly runtime?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly dir?: string;
}

export function testAttempt({
  runtime = {},
  signal = new AbortController().signal,
  dir = "/tmp",
}: TestAttemptOptions = {}): TestAttempt {
  const events: Recorded[] = [];
  const waits: number[] = [];
  let now = 1_700_000_000_000;
  const attempt: Attempt = {
    node: "writer",
    key: "writer#1",
    attempt: 1,
    path: [],
    workflow: { name: "test", file: `${dir}/test.yaml`, dir, rootDir: dir, runtime },
    signal,
    idempotencyKey: "test",
    clock: {
      now: () => now,
      sleep: async (ms) => {
        waits.push(ms / 1000);
        now += ms;
      },
      after: () => () => {},
    },
    spillDir: `${dir}/spill`,
    world: {} as StepWorld,
    assertLease: () => undefined,
    emit: <Type extends EventType>(type: Type, data: EventData<Type>) => {
      events.push({ type, data: data as Record<string, unknown> });
    },
  };
  return { attempt, events, waits };
}

export const modelRequest = (request: Partial<ModelRequest>): ModelRequest => ({
  purpose: "answer",
  provider: "anthropic",
  models: ["claude-test"],
  system: "",
  prompt: "Go",
  raises: [],
  tools: null,
  options: {},
  ...request,
});
