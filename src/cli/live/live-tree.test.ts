import { expect, it } from "vitest";
import type { RunEvent } from "../../events/registry.ts";
import { Output } from "../output.ts";
import { LiveTree } from "./live-tree.ts";
import { Terminal } from "./test-terminal.ts";

const event = (type: string, data: object): RunEvent =>
  ({ seq: 1, ts: "2030-01-01T00:00:00.000Z", type, run_id: "01RUN", path: [], data }) as unknown as RunEvent;

const outline = { name: "w", file: "w.yaml", nodes: [{ name: "a", type: "script" }] };
const started = event("workflow_started", { name: "w", file: "w.yaml", entry_point: "a", outline, inputs: {} });
const step = { agent_name: "a", agent_type: "script", key: "a#1", attempt: 1 };

function tree(): { terminal: Terminal; live: LiveTree } {
  const terminal = new Terminal();
  terminal.columns = 30;
  const manner = { format: "text", quiet: false, verbose: false, plain: true, env: {} } as const;
  return { terminal, live: new LiveTree(new Output(manner, { stdout: terminal, stderr: terminal })) };
}

it("keeps what is said while it is drawn, and leaves nothing of itself behind", () => {
  const { terminal, live } = tree();
  live.on(started);
  live.on(event("agent_started", { ...step, iteration: 1 }));
  live.say("0 of 1 letter resolved");
  expect(terminal.text.length).toBeGreaterThan(2);
  live.say("and one more");
  live.end();
  expect(terminal.text).toEqual(["▸ w 01RUN", "0 of 1 letter resolved", "and one more"]);
});

it("says at once what is said before there is anything to draw", () => {
  const { terminal, live } = tree();
  live.say("Asking a model …");
  expect(terminal.text).toEqual(["Asking a model …"]);
});

it("breaks lines at words where the terminal ends", () => {
  const { terminal, live } = tree();
  live.on(started);
  live.on(event("warning", { node: null, message: "the journal was shorter than it had been" }));
  live.end();
  expect(terminal.text).toEqual(["▸ w 01RUN", "▲ the journal was shorter than", "  it had been"]);
});
