import { describe, expect, it } from "vitest";
import type { GateQuestion } from "../../../engine/people/ask.ts";
import type { AskedPerson } from "../../../services/request.ts";
import { Output } from "../output.ts";
import { LEFT, type Left, type Prompts } from "./prompts.ts";
import { askGate, canAskAtTerminal, terminalAsker } from "./terminal-asker.ts";

const sink = { write: () => true };
const output = new Output(
  { format: "text", quiet: false, verbose: false, plain: true, env: {} },
  { stdout: sink, stderr: sink },
);
const gate = (node: string): GateQuestion => ({
  kind: "gate",
  node,
  key: node,
  prompt: "?",
  options: [{ label: "Yes", value: "yes" }],
});

function asker(choose: () => Promise<"yes" | Left>) {
  const log: string[] = [];
  const prompts: Prompts = {
    choose: (async () => choose()) as Prompts["choose"],
    write: async () => LEFT,
    show: (text) => (text.startsWith("You answer") ? void log.push(text) : undefined),
  };
  const parts = {
    output,
    progress: {
      pause: () => void log.push("pause"),
      resume: () => void log.push("resume"),
      say: (text: string) => void log.push(text),
    },
    interrupt: () => log.push("interrupt"),
    open: async () => prompts,
  };
  const asked: AskedPerson = { person: "kim" };
  const { ask } = terminalAsker(parts);
  return {
    log,
    ask: (question: GateQuestion, signal: AbortSignal, more = {}) => ask(question, signal, { ...asked, ...more }),
  };
}

describe("the person at the terminal", () => {
  it("is asked one thing at a time, with the tree out of the way", async () => {
    const { ask, log } = asker(async () => "yes");
    const signal = new AbortController().signal;
    const answers = await Promise.all([ask(gate("a"), signal), ask(gate("b"), signal)]);
    expect(answers).toMatchObject([{ value: "yes" }, { value: "yes" }]);
    expect(log).toEqual(["pause", "resume", "pause", "resume"]);
  });

  it("interrupts the run with Ctrl-C", async () => {
    const { ask, log } = asker(async () => LEFT);
    expect(await ask(gate("a"), new AbortController().signal)).toBeUndefined();
    expect(log).toEqual(["pause", "interrupt", "resume"]);
  });

  it("is not asked any more when somebody else has answered", async () => {
    const other = new AbortController();
    const { ask, log } = asker(async () => {
      other.abort();
      return LEFT;
    });
    expect(await ask(gate("a"), other.signal)).toBeUndefined();
    expect(await ask(gate("b"), other.signal)).toBeUndefined();
    expect(log).toEqual(["pause", "resume"]);
  });

  it("who may not answer is told who may, and is not asked", async () => {
    const { ask, log } = asker(async () => "yes");
    const refusal = "a needs an answer from sam. You are kim, who is not an approver.";
    expect(await ask(gate("a"), new AbortController().signal, { refusal })).toBeUndefined();
    expect(log).toEqual([refusal]);
  });

  it("is told under which name the answer counts, where only some may answer", async () => {
    const { ask, log } = asker(async () => "yes");
    expect(await ask({ ...gate("a"), approvers: ["kim"] }, new AbortController().signal)).toMatchObject({
      value: "yes",
    });
    expect(log).toEqual(["pause", "You answer as kim.", "resume"]);
  });

  it("sees beside each option what the file says of it", async () => {
    const seen: unknown[] = [];
    const choose = (async (_: string, choices: readonly unknown[]) => {
      seen.push(...choices);
      return LEFT;
    }) as Prompts["choose"];
    const options = [
      { label: "Ship", value: "ship", description: "To all customers." },
      { label: "Wait", value: "wait" },
    ];
    await askGate({ ...gate("a"), options }, { choose, write: async () => LEFT, show: () => undefined });
    expect(seen).toEqual([
      { label: "Ship", value: "ship", hint: "To all customers." },
      { label: "Wait", value: "wait" },
    ]);
  });

  it("is there only when stdin and stderr are terminals", () => {
    const terminal = new Output(
      { format: "text", quiet: false, verbose: false, plain: true, env: {} },
      { stdout: sink, stderr: { ...sink, isTTY: true } },
    );
    expect([
      canAskAtTerminal(terminal, { isTTY: true }),
      canAskAtTerminal(terminal, {}),
      canAskAtTerminal(output, { isTTY: true }),
    ]).toEqual([true, false, false]);
  });
});
