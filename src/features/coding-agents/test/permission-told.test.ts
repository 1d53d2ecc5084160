// What an agent asked to be allowed is told with its step, once: what it asked, what was answered, who answered, and the
// time until it asked.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { expect, it } from "vitest";
import { Served } from "../../../../test/support/served.ts";
import type { RunEvent } from "../../../base/events/registry.ts";
import { storyText } from "../../../frontends/cli/report/story/index.ts";
import { explainRun } from "../../../services/explain/index.ts";
import { isLoop, type VisitScene } from "../../../services/explain/story.ts";
import { answerGate, listGates } from "../../../services/gates/gates.ts";
import { personHere } from "../../../services/session/people.ts";
import { drawGraph } from "../../../services/workflows/graph.ts";
import { type AgentName, type CodingPlayground, codingPlayground, describeAgent, told } from "./workshop.ts";

const play = codingPlayground();

const file = (agent: AgentName, model: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${agent}, ask: gate }, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Write it. }
`;

async function step(at: CodingPlayground, run: string) {
  const served = await Served.start({}, { root: at.folder }, () => at.session);
  try {
    return (await served.get(`/api/runs/${run}/steps/fix`)).body;
  } finally {
    await served.close();
  }
}

/** The one scene of each drive, and the story as `segno explain` tells it. */
async function story(at: CodingPlayground, run: string) {
  const explained = await explainRun(at.session, { run });
  const scenes = explained.chapters.flatMap(({ scenes: all }) => all.filter((one): one is VisitScene => !isLoop(one)));
  const text = storyText(explained, {
    colors: picocolors.createColors(false),
    width: 400,
    line: 400,
    now: Date.now(),
    read: () => undefined,
  });
  return { scenes, text };
}

async function holds(at: CodingPlayground, what: string): Promise<RunEvent[]> {
  const { result, events } = await at.run("main.yaml");
  expect(result.status).toBe("paused");
  const run = result.run_id ?? "";
  const who = personHere();
  const beside = join(at.folder, "beside.txt");
  expect(told(events, "gate_presented")).toMatchObject([
    { agent_name: "fix", prompt: expect.stringContaining(what), options: [{ value: "deny" }, { value: "allow" }] },
  ]);
  expect((await listGates(at.session)).gates).toMatchObject([{ run_id: run, node_id: "fix" }]);
  expect(existsSync(beside)).toBe(false);

  const asking = await step(at, run);
  expect(asking.visits).toMatchObject([{ visit: 1, status: "paused" }]);
  expect(asking.question).toMatchObject({ kind: "gate", prompt: expect.stringContaining(what) });
  expect(asking.requests).toMatchObject([{ prompt: expect.stringContaining(what), selected: null, answered_by: null }]);
  const { graph } = await drawGraph(at.session, { file: "main.yaml", run, format: "svg" });
  expect(graph).toContain("fix: waiting");
  const paused = (await story(at, run)).scenes[0];
  // Whatever the agent needed to start: that it asked cannot have been in the same moment.
  expect(paused?.duration_ms).toBeGreaterThan(0);
  expect(paused?.duration_ms).toBe(asking.attempts[0].took_ms);

  const answered = await answerGate(at.session, { run, value: "allow", inputs: {} });
  expect(answered.status).toBe("completed");
  expect(existsSync(beside)).toBe(true);
  const { visits, requests, question } = await step(at, run);
  expect(visits).toMatchObject([{ visit: 1, status: "completed" }]);
  expect(question).toBeNull();
  const request = { prompt: expect.stringContaining(what), answered_by: who };
  expect(requests).toMatchObject([{ ...request, selected: "allow", at: expect.any(String) }]);
  expect(requests[0].asked_at).toBe(asking.requests[0].asked_at);

  const { scenes, text } = await story(at, run);
  expect(scenes).toMatchObject([
    { status: "paused", duration_ms: paused?.duration_ms, requests: [{ prompt: expect.stringContaining(what) }] },
    { status: "completed", requests: [{ ...request, answer: "allow" }] },
  ]);
  expect(scenes[0]?.requests?.[0]).not.toHaveProperty("answer");
  expect(text).toContain("no answer yet: fix asks whether it may ");
  expect(text).toContain(`allow by ${who}: fix asks whether it may `);
  expect(text).toContain(what);
  return readFileSync(answered.artifacts?.events_jsonl ?? "", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describeAgent("claude-agent-sdk", "that was allowed something by a person", () => {
  it("goes on in its session, and is one visit, with what it asked and who allowed it", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    const write = (path: string) => ({ tools: [{ name: "Write", input: { file_path: path, content: "x\n" } }] });
    at.play = ({ index }) => [write(join(at.work, "a.txt")), write(beside), write(beside)][index] ?? "done";
    at.write({ "main.yaml": file("claude-agent-sdk", "claude-sonnet-4-5") });
    const events = await holds(at, `change ${beside}`);
    // What it had changed before it asked is among its changes.
    expect(told(events, "agent_completed")[0]).toMatchObject({
      changes: { files: [{ path: "a.txt", change: "added" }] },
    });
    const resumed = at.requests[2];
    expect(resumed?.prompt).toContain(`You asked whether you may change ${beside}. The answer is yes.`);
    expect(resumed?.messages[0]?.text).toContain("Write it.");
  });
});

describeAgent("codex", "that was allowed something by a person", () => {
  it("goes on in its session, and is one visit, with what it asked and who allowed it", async () => {
    const at = play();
    const input = {
      cmd: `echo out > ${join(at.folder, "beside.txt")}`,
      sandbox_permissions: "require_escalated",
      justification: "May I?",
    };
    at.play = ({ index }) => (index < 2 ? { tools: [{ name: "exec_command", input }] } : "done");
    at.write({ "main.yaml": file("codex", "gpt-5") });
    await holds(at, `'${input.cmd}'`);
    const resumed = at.requests[1];
    expect(resumed?.prompt).toContain("The answer is yes.");
    expect(JSON.stringify(resumed?.messages)).toContain("Write it.");
  });
});
