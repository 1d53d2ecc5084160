import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Outcome, succeeded } from "../../base/errors/index.ts";
import type { Provider, ProviderCall } from "../../providers/provider.ts";
import type { OwnStep, StepAttempt } from "../own-steps/own-step.ts";
import { providerOfPlugin, stepOfPlugin } from "./of-plugin.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const warned: string[] = [];
const by = { plugin: "./plugins.mjs", warn: (sentence: string) => void warned.push(sentence) };
beforeEach(() => void warned.splice(0));

/** Begins a step, and gives how it stands: nothing while it runs. */
function begun(execute: OwnStep["execute"], signal: AbortSignal): () => Outcome | undefined {
  const step = stepOfPlugin({ type: "deaf", description: "", schema: {}, version: 1, execute }, by);
  const attempt = { node: "a", attempt: 1, idempotencyKey: "R1:a:1", signal } as StepAttempt;
  let outcome: Outcome | undefined;
  void Promise.resolve(step.execute({}, attempt)).then((given) => {
    outcome = given;
  });
  return () => outcome;
}

describe("a plugin's step that does not heed its signal", () => {
  it("is not waited for longer than 5 seconds, and that is said", async () => {
    const stop = new AbortController();
    const ended = begun(() => new Promise(() => {}), stop.signal);
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await vi.advanceTimersByTimeAsync(4999);
    expect([ended(), warned]).toEqual([undefined, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended()).toMatchObject({ ok: false, error: { kind: "internal.step_error" } });
    expect(warned).toEqual([
      expect.stringMatching(
        /^The plugin \.\/plugins\.mjs of segno\.yaml, in the step a of run R1, did not stop: `execute` of the step type deaf went on for 5 seconds/,
      ),
    ]);
  });

  it("is given those 5 seconds also when the signal was aborted before it began", async () => {
    const ended = begun(() => new Promise(() => {}), AbortSignal.abort());
    await vi.advanceTimersByTimeAsync(5000);
    expect(ended()).toMatchObject({ ok: false });
  });

  it("has the result that it gives in time, and leaves nothing behind", async () => {
    const stop = new AbortController();
    let finish: (outcome: Outcome) => void = () => {};
    const ended = begun(
      () =>
        new Promise((done) => {
          finish = done;
        }),
      stop.signal,
    );
    stop.abort();
    await vi.advanceTimersByTimeAsync(4999);
    finish(succeeded(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(ended()).toEqual(succeeded(1));
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(warned).toEqual([]);
  });
});

it("does not wait for a plugin's provider that does not heed its signal", async () => {
  const own: Provider = { name: "deaf", defaultModel: "", call: () => new Promise(() => {}) };
  const call = providerOfPlugin(own, by).call({ signal: AbortSignal.abort() } as ProviderCall, {} as never);
  const failed = expect(call).rejects.toThrow("`call` of the provider deaf did not stop");
  await vi.advanceTimersByTimeAsync(5000);
  await failed;
  expect(warned).toHaveLength(1);
});
