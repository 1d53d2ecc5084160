// What somebody gets who asks the server of the page, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { unpackState } from "../../base/events/state/packed-state.ts";
import { lightsOf } from "../../graph/lit.ts";
import type { OwnStep } from "../../services/own-steps/own-step.ts";
import { showRun } from "../../services/runs/runs.ts";
import { extensionsFrom } from "../../services/session/extensions.ts";
import { personHere } from "../../services/session/people.ts";

const GOOD = `workflow: { name: good, entry_point: hello, input: { who: { type: string, default: you } } }
agents:
  - name: hello
    type: script
    command: echo
    args: ["hello {{ workflow.input.who }}"]
    routes: [{ to: shout }]
  - name: shout
    type: set
    value: "{{ hello.output.stdout | upper }}"
output: { said: "{{ shout.output }}" }
`;
const BAD = `workflow: { name: bad, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: sh
    args: ["-c", "echo working; echo broken >&2; exit 3"]
    routes:
      - { to: $end }
      - { on_error: io.gone, to: mend }
      - { on_error: internal.script_error, when: "error.details.exit_code == 4", to: mend }
  - { name: mend, type: set, value: 1 }
`;
const LATE = `workflow: { name: late, entry_point: fetch }
agents:
  - name: fetch
    type: script
    command: "true"
    routes:
      - { when: "{{ output.exit_code == 4 }}", to: mend }
      - { when: "{{ output.code == 1 }}", to: mend }
      - { to: $end }
      - { on_error: io.gone, to: mend }
  - { name: mend, type: set, value: 1 }
`;
const ASKS = `workflow: { name: asks, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: "**Go on?**"
    options:
      - { label: Yes, value: yes, route: $end }
      - { label: No, value: no, route: $end }
`;
const BUSY = `workflow: { name: busy, entry_point: send }
agents:
  - name: send
    type: script
    command: "false"
    raises: [app.busy]
    routes: [{ to: $end }, { on_error: "*", retry: { max: 2, initial_seconds: 0 } }]
`;
const SLOW = `workflow: { name: slow, entry_point: wait }
agents:
  - { name: wait, type: script, command: sleep, args: ["600"] }
`;

const EACH = `workflow: { name: each, entry_point: all, input: { words: { type: array, default: [a, b] } } }
for_each:
  - name: all
    type: for_each
    source: workflow.input.words
    as: word
    agent:
      name: say
      type: set
      value: "{{ word }} of {{ workflow.input.words | length }}"
    max_concurrent: 2
`;
const LOSES = `workflow: { name: loses, entry_point: all, input: { codes: { type: array, default: [0, 3] } } }
agents: []
for_each:
  - name: all
    type: for_each
    source: workflow.input.codes
    as: code
    failure_mode: continue_on_error
    agent: { name: one, type: script, command: sh, args: ["-c", "exit {{ code }}"], raises: [io.gone] }
`;
const SORTS = `workflow: { name: sorts, entry_point: all, input: { codes: { type: array, default: [0, 3, 4] } } }
agents:
  - { name: mend, type: set, value: "0" }
  - { name: after, type: set, value: "1" }
for_each:
  - name: all
    type: for_each
    source: workflow.input.codes
    as: code
    failure_mode: continue_on_error
    agent:
      name: one
      type: script
      command: sh
      args: ["-c", "test {{ code }} = 0 || echo '{ \\"kind\\": \\"app.n{{ code }}\\", \\"message\\": \\"no\\" }' > $CONDUCTOR_ERROR_OUT"]
      raises: [app.n3, app.n4]
      routes:
        - { on_error: app.n4, when: "error.kind == 'app.n3'", to: mend }
        - { on_error: app.n3, to: mend }
    routes: [{ to: after }]
`;
const CALLS = `workflow: { name: calls, entry_point: call }
agents: [{ name: call, type: workflow, workflow: ./inner.yaml }]
`;
const INNER = `workflow: { name: inner, entry_point: break }
agents: [{ name: break, type: script, command: node, args: ["-e", "process.exit(3)"], raises: [io.gone] }]
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({
    "each.yaml": EACH,
    "calls.yaml": CALLS,
    "inner.yaml": INNER,
    "good.yaml": GOOD,
    "late.yaml": LATE,
    "loses.yaml": LOSES,
    "sorts.yaml": SORTS,
    "sub/bad.yaml": BAD,
    "asks.yaml": ASKS,
    "slow.yaml": SLOW,
    "busy.yaml": BUSY,
  });
});
afterAll(() => served.close());

describe("runs", () => {
  it("are listed newest first, with how each ended and the step that failed", async () => {
    const good = await served.run("good.yaml");
    const bad = await served.run("sub/bad.yaml");
    const { body } = await served.get("/api/runs");
    expect(body.runs.slice(0, 2)).toMatchObject([
      { run_id: bad, status: "failed", workflow: "bad", file: "sub/bad.yaml", failing_step: "fetch" },
      { run_id: good, status: "completed", workflow: "good", file: "good.yaml", failing_step: null },
    ]);
    expect(body.days).toMatchObject([{ counts: { completed: 1, failed: 1 }, total: 2 }]);
    const failed = await served.get("/api/runs?status=failed&text=fetch&limit=1");
    expect(failed.body).toMatchObject({ total: 1, next: null });
    const first = await served.get("/api/runs?limit=1");
    const second = await served.get(`/api/runs?limit=1&cursor=${first.body.next}`);
    expect([first.body.runs[0].run_id, second.body.runs[0].run_id]).toEqual([bad, good]);
  });

  it("are given as the fold, the picture and what to do next", async () => {
    const run = await served.run("sub/bad.yaml");
    const { body } = await served.get(`/api/runs/${run}`);
    expect(unpackState(body.state)).toMatchObject({ status: "failed", seq: body.seq });
    expect(body.banner).toMatchObject({ status: "failed", step: "fetch", kind: "internal.script_error" });
    expect(body.banner.next[0].command).toContain(`segno resume ${run}`);
    expect(body.picture.edges).toContainEqual(
      expect.objectContaining({ from: "fetch", to: "mend", on: "error", label: ["io.gone"] }),
    );
    const { body: result } = await served.get(`/api/runs/${run}/result`);
    expect(result).toEqual(JSON.parse(JSON.stringify(await showRun(served.session, { run }))));
  });

  it("that are under way advise nobody to watch them, who does so already", async () => {
    const { body: started } = await served.post("/api/runs", { file: "slow.yaml" });
    const { body } = await served.get(`/api/runs/${started.run_id}`);
    await served.post(`/api/runs/${started.run_id}/cancel`, { seq: body.seq });
    expect(body).toMatchObject({ status: "running", driver: { is_here: true } });
    expect(body.banner.next).toEqual([]);
  });

  it("tell their story, and what a resume would do now", async () => {
    const run = await served.run("sub/bad.yaml");
    const { body } = await served.get(`/api/runs/${run}/explain`);
    expect(body.chapters[0].troubles[0]).toMatchObject({ node_id: "fetch" });
    expect(body.resume.runs).toMatchObject([{ node_id: "fetch" }]);
  });

  it("that are not there are said not to be", async () => {
    expect(await served.get("/api/runs/01NOSUCHRUN")).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("a step", () => {
  it("shows its attempt, what it printed, and every route that was read with its verdict", async () => {
    const run = await served.run("sub/bad.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/fetch`);
    expect(body).toMatchObject({ node_id: "fetch", type: "script", visit: { visit: 1, status: "failed" } });
    const [attempt] = body.attempts;
    expect(attempt).toMatchObject({ status: "failed", exit_code: 3, stdout: { text: "working\n" } });
    expect(attempt.stderr.text).toBe("broken\n");
    expect(attempt.lens).toMatchObject({ action: "unhandled", error: { kind: "internal.script_error" } });
    expect(attempt.lens.routes).toMatchObject([
      { verdict: "other kind", line: 9, taken: false },
      { verdict: "when is false", saw: { "error.details.exit_code": 3 } },
    ]);
    expect(body.yaml.text).toContain("- name: fetch");
    expect(body.yaml.text).not.toContain("mend, type");
  });

  it("says at each attempt which of the retries its route took then", async () => {
    const run = await served.run("busy.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/send`);
    const why = body.attempts.map(({ lens }: { lens: { routes: { why: string }[] } }) =>
      lens.routes.map((one) => one.why),
    );
    expect(why).toEqual([["taken, retry 1 of 2"], ["taken, retry 2 of 2"], ["its retries are used up"]]);
  });

  it("shows the values that its templates used", async () => {
    const run = await served.run("good.yaml", { who: "world" });
    const { body } = await served.get(`/api/runs/${run}/steps/hello`);
    expect(body.values).toMatchObject([{ expression: "workflow.input.who", value: "world", known: true }]);
    const shout = await served.get(`/api/runs/${run}/steps/shout`);
    expect(shout.body.values).toMatchObject([{ expression: "hello.output.stdout", known: true }]);
    expect(shout.body.attempts[0].output).toContain("HELLO WORLD");
  });

  it("of a for_each shows its item, with the values that its templates used", async () => {
    const run = await served.run("each.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/say?item=1`);
    expect(body.attempts).toHaveLength(1);
    expect(body.values).toMatchObject([
      { expression: "word", value: "b", known: true },
      { expression: "workflow.input.words", known: true },
    ]);
    // The whole of the step inside the group, not its first line.
    expect(body.yaml.text).toContain('value: "{{ word }} of');
    expect(body.yaml.text).not.toContain("source:");
  });

  it("that no file has is refused", async () => {
    const run = await served.run("good.yaml");
    expect(await served.get(`/api/runs/${run}/steps/nothing`)).toMatchObject({
      status: 400,
      body: { code: "refused" },
    });
  });
});

describe("the log", () => {
  it("comes a page at a time, forwards and backwards, of a type or a step", async () => {
    const run = await served.run("good.yaml");
    const all = (await served.get(`/api/runs/${run}/events`)).body;
    expect(all.next).toBeNull();
    const pages = [];
    for (let after = 0; ; ) {
      const { body } = await served.get(`/api/runs/${run}/events?limit=2&after=${after}`);
      pages.push(...body.events);
      if (body.next === null) break;
      after = body.next;
    }
    expect(pages).toEqual(all.events);
    const last = await served.get(`/api/runs/${run}/events?before=${all.last_seq + 1}&limit=2`);
    expect(last.body.events).toEqual(all.events.slice(-2));
    const printed = await served.get(`/api/runs/${run}/events?type=script_output&step=hello`);
    expect(printed.body.events).toMatchObject([{ data: { text: "hello you\n" } }]);
  });

  it("can be replayed from any moment", async () => {
    const run = await served.run("good.yaml");
    const { body: index } = await served.get(`/api/runs/${run}/keyframes`);
    expect(index.keyframes[0]).toEqual({ seq: 0, at: null });
    const { body } = await served.get(`/api/runs/${run}/keyframes?at=${index.last_seq}`);
    expect(body).toMatchObject({ seq: 0, until: index.last_seq });
    expect(unpackState(body.state).status).toBe("running");
    expect(body.events.at(-1).type).toBe("workflow_completed");
  });
});

describe("a person", () => {
  it("starts a workflow, which the server drives", async () => {
    const { status, body } = await served.post("/api/runs", { file: "good.yaml", inputs: { who: "page" } });
    expect(status).toBe(200);
    await expect.poll(async () => (await served.get(`/api/runs/${body.run_id}`)).body.status).toBe("completed");
    const { body: result } = await served.get(`/api/runs/${body.run_id}/result`);
    expect(result.output).toMatchObject({ said: expect.stringContaining("HELLO PAGE") });
  });

  it("who clicks twice starts it once", async () => {
    const key = { "idempotency-key": "the same" };
    const replies = await Promise.all([1, 2].map(() => served.post("/api/runs", { file: "good.yaml" }, key)));
    expect(replies[0]?.body).toEqual(replies[1]?.body);
    expect(await served.post("/api/runs", { file: "asks.yaml" }, key)).toMatchObject({ status: 400 });
  });

  it("is told what is wrong with the inputs, and nothing is run", async () => {
    const before = (await served.get("/api/runs")).body.total;
    for (const name of ["nobody", "__proto__"]) {
      const reply = await served.post("/api/runs", { file: "good.yaml", inputs: JSON.parse(`{"${name}":{"a":1}}`) });
      const message = expect.stringContaining(`there is no input ${name}`);
      expect(reply).toMatchObject({ status: 400, body: { code: "refused", message } });
    }
    expect((await served.get("/api/runs")).body.total).toBe(before);
  });

  it("answers a gate, and whoever is late is told who did", async () => {
    const { body: started } = await served.post("/api/runs", { file: "asks.yaml" });
    await expect.poll(async () => (await served.get(`/api/runs/${started.run_id}`)).body.status).toBe("paused");
    const { body } = await served.get("/api/gates");
    const gate = body.gates.find(({ run_id }: { run_id: string }) => run_id === started.run_id);
    expect(gate).toMatchObject({ kind: "gate", prompt: "**Go on?**", node_id: "ask" });
    const path = `/api/gates/${encodeURIComponent(gate.id)}`;
    const wrong = await served.post(path, { seq: gate.seq, value: "perhaps" });
    expect(wrong).toMatchObject({ status: 400, body: { message: expect.stringContaining("none of the options") } });
    expect((await served.post(path, { seq: 1_000_000, value: "yes" })).status).toBe(400);
    const first = await served.post(path, { seq: gate.seq, value: "yes" });
    expect(first).toMatchObject({ status: 200, body: { driven: "here", value: "yes" } });
    const late = await served.post(path, { seq: gate.seq, value: "no" });
    expect(late).toMatchObject({ status: 409, body: { first: { what: "answered", by: first.body.answered_by } } });
    await expect.poll(async () => (await served.get(`/api/runs/${started.run_id}`)).body.status).toBe("completed");
  });

  it("who answers the gate of a run that was cancelled is told who cancelled it", async () => {
    const run = await served.run("asks.yaml");
    const { body } = await served.get("/api/gates");
    const gate = body.gates.find(({ run_id }: { run_id: string }) => run_id === run);
    expect((await served.post(`/api/runs/${run}/cancel`, { seq: gate.seq })).status).toBe(200);
    const late = await served.post(`/api/gates/${encodeURIComponent(gate.id)}`, { seq: gate.seq, value: "yes" });
    expect(late).toMatchObject({ status: 409, body: { first: { what: "cancelled", by: personHere() } } });
  });

  it("cancels a run, resumes it, and cannot resume what is driven already", async () => {
    const { body: started } = await served.post("/api/runs", { file: "slow.yaml" });
    const { body: now } = await served.get(`/api/runs/${started.run_id}`);
    expect(now).toMatchObject({ status: "running", driver: { pid: process.pid, is_here: true } });
    const early = await served.post(`/api/runs/${started.run_id}/resume`, { seq: now.seq });
    expect(early).toMatchObject({ status: 409, body: { first: { what: "started", by: personHere() } } });
    expect(early.body.message).toContain(`driven by process ${process.pid}`);
    // A number that no event has yet would never be too late.
    const unseen = await served.post(`/api/runs/${started.run_id}/cancel`, { seq: 1_000_000 });
    expect(unseen).toMatchObject({ status: 400, body: { message: expect.stringContaining("1000000") } });
    const cancelled = await served.post(`/api/runs/${started.run_id}/cancel`, { seq: now.seq });
    expect(cancelled.status).toBe(200);
    const again = await served.post(`/api/runs/${started.run_id}/cancel`, { seq: now.seq });
    expect(again).toMatchObject({ status: 409, body: { first: { what: "cancelled" } } });
    const resumed = await served.post(`/api/runs/${started.run_id}/resume`, { seq: cancelled.body.seq });
    expect(resumed.status).toBe(200);
    const late = await served.post(`/api/runs/${started.run_id}/resume`, { seq: cancelled.body.seq });
    const alreadyResumed = { status: 409, body: { first: { what: "resumed", by: personHere() } } };
    expect(late).toMatchObject(alreadyResumed);
    expect(late.body.message).toContain(`was resumed already by ${personHere()}`);
    // The drive that it saw is over: the one that runs now is not its to end.
    expect(await served.post(`/api/runs/${started.run_id}/cancel`, { seq: now.seq })).toMatchObject(alreadyResumed);
    expect((await served.post(`/api/runs/${started.run_id}/cancel`, { seq: 0 })).status).toBe(409);
    const { body: then } = await served.get(`/api/runs/${started.run_id}`);
    // Of the same drive, an older number is as good: events stream on while somebody clicks.
    const drive = then.drives.at(-1).seq;
    expect(drive).toBeLessThan(then.seq);
    expect((await served.post(`/api/runs/${started.run_id}/cancel`, { seq: drive })).status).toBe(200);
  });
});

const anyRoute = (line: number) => expect.objectContaining({ line });

describe("the panel of a step", () => {
  it("has the command of a script that still runs", async () => {
    const { body: started } = await served.post("/api/runs", { file: "slow.yaml" });
    const attempt = async () => (await served.get(`/api/runs/${started.run_id}/steps/wait`)).body.attempts[0];
    await expect.poll(async () => (await attempt())?.command).toBe("sleep 600");
    expect(await attempt()).toMatchObject({ status: "running" });
    await served.post(`/api/runs/${started.run_id}/cancel`, { seq: started.seq });
  });

  it("says that a group went on without an item that failed", async () => {
    const run = await served.run("loses.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/one?item=1`);
    expect(body.attempts[0].lens).toMatchObject({ action: "unhandled", went_on: "all" });
  });

  it("has every route that was read for an item, also where none took its error", async () => {
    const run = await served.run("sorts.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/one?item=2`);
    const { lens } = body.attempts[0];
    expect(lens).toMatchObject({ action: "unhandled", went_on: "all" });
    expect(lens.routes).toMatchObject([
      { line: 18, verdict: "when is false", saw: { "error.kind": "app.n4" } },
      { line: 19, verdict: "other kind" },
    ]);
    const { body: told } = await served.get(`/api/runs/${run}/explain`);
    const troubles = told.chapters.flatMap(({ troubles: all }: { troubles: readonly unknown[] }) => all);
    expect(troubles).toContainEqual(expect.objectContaining({ item_key: "2", routes: [anyRoute(18), anyRoute(19)] }));
  });

  it.each(["all", "after"])("of a step that does not run in items pays no heed to an item: %s", async (step) => {
    const run = await served.run("sorts.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/${step}?item=2`);
    expect(body.visit).toMatchObject({ status: "completed", item_key: null });
    const { body: never } = await served.get(`/api/runs/${run}/steps/mend?item=2`);
    expect(never.visit).toBeNull();
  });
});

describe("a step whose work went well, and whose routes could not be read", () => {
  it("is failed wherever it is shown, with the route that could not be read", async () => {
    const run = await served.run("late.yaml");
    const { body } = await served.get(`/api/runs/${run}/steps/fetch`);
    expect(body.visit).toMatchObject({ status: "failed", kind: "internal.template_error" });
    const [attempt] = body.attempts;
    expect(attempt).toMatchObject({ status: "failed", lens: { action: "unhandled" } });
    expect(attempt.lens.routes).toMatchObject([
      { line: 7, verdict: "when is false", saw: { "output.exit_code": 0 } },
      { line: 8, verdict: "when raised" },
      { line: 10, verdict: "other kind" },
    ]);
    const { body: events } = await served.get(`/api/runs/${run}/events?limit=500`);
    expect(lightsOf(events.events).nodes["fetch"]?.state).toBe("failed");
    const { body: told } = await served.get(`/api/runs/${run}/explain`);
    expect(told.chapters[0].scenes[0]).toMatchObject({ status: "failed" });
  });
});

describe("an address that a person types", () => {
  const typed = (path: string): Promise<Response> =>
    served.fetch(path, { headers: { accept: "text/html,application/xhtml+xml" }, redirect: "manual" });

  it.each(["/nowhere", "/nowhere/at/all"])(
    "%s is answered with the page, which says that it leads nowhere",
    async (path) => {
      const answer = await typed(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect((await served.get(path)).body).toMatchObject({ code: "not_found" });
    },
  );

  it("/triggers is a page, and /runs leads to all runs", async () => {
    expect((await typed("/triggers")).status).toBe(200);
    const runs = await typed("/runs");
    expect([runs.status, runs.headers.get("location")]).toEqual([302, "/"]);
  });
});

describe("a workflow with steps of a project's plugin", () => {
  it("is listed, drawn and described as the plugin says", async () => {
    const shout: OwnStep = {
      type: "shout",
      description: "says it louder",
      version: 1,
      schema: { type: "object", properties: { text: { type: "string" } } },
      execute: async () => ({ ok: true, output: "HELLO" }),
    };
    const extensions = await extensionsFrom({ steps: [shout] });
    const text = "workflow: { name: own, entry_point: say }\nagents: [{ name: say, type: shout, text: hello }]\n";
    const other = await Served.start({ "own.yaml": text }, {}, () => ({ extensions }));
    const { body } = await other.get("/api/workflows/own.yaml");
    expect(body).toMatchObject({ workflow: "own", problems: [] });
    expect(body.picture.items).toContainEqual(expect.objectContaining({ id: "say", detail: "shout" }));
    await other.close();
  });
});

describe("workflows", () => {
  it("are listed, and one is given with its graph, its inputs and what it can raise", async () => {
    const { body } = await served.get("/api/workflows");
    expect(body.workflows.map(({ file }: { file: string }) => file)).toContain("sub/bad.yaml");
    const { body: bad } = await served.get("/api/workflows/sub/bad.yaml");
    expect(bad).toMatchObject({ workflow: "bad", inputs: null, problems: expect.any(Array) });
    expect(bad.raises[0]).toMatchObject({ node_id: "fetch" });
    const { body: good } = await served.get("/api/workflows/good.yaml");
    expect(good.inputs).toMatchObject([{ name: "who", type: "string", default: "you", schema: { type: "string" } }]);
    const { body: plan } = await served.post("/api/plan/good.yaml", { inputs: { who: "plan" } });
    expect(plan.plan[0]).toMatchObject({ node_id: "hello", fields: { args: ["hello plan"] } });
  });

  it("that cannot be run are marked in the list, with the first error", async () => {
    served.write(
      "typo.yaml",
      "workflow: { name: typo, entry_point: a }\nagents:\n  - { name: a, type: set, valeu: 1 }\n",
    );
    served.write(
      "typo-caller.yaml",
      "workflow: { name: calls, entry_point: a }\nagents: [{ name: a, type: workflow, workflow: typo.yaml }]\n",
    );
    served.write("open.yaml", "workflow: { name: open\nagents: []\n");
    const { workflows } = (await served.get("/api/workflows")).body;
    const invalid = (name: string) => workflows.find(({ file }: { file: string }) => file === name).invalid;
    expect(invalid("good.yaml")).toBeNull();
    expect(invalid("typo.yaml")).toMatchObject({
      errors: 1,
      file: "typo.yaml",
      line: 3,
      message: expect.stringContaining("valeu"),
    });
    expect(invalid("typo-caller.yaml")).toMatchObject({ file: "typo.yaml", line: 3 });
    expect(invalid("open.yaml")).toMatchObject({
      errors: 1,
      file: "open.yaml",
      message: expect.stringContaining("`{`"),
    });
  });
});

describe("errors", () => {
  it("of all runs are grouped by kind and step", async () => {
    const { body } = await served.get("/api/errors?kind=internal.*");
    const group = body.groups.find(({ workflow }: { workflow: string }) => workflow === "bad");
    expect(group).toMatchObject({ kind: "internal.script_error", step: "fetch" });
    expect(group.count).toBe(group.runs.length);
    expect(body.unread).toBe(0);
  });

  it("letters and breakers are empty lists in a store that has none", async () => {
    expect((await served.get("/api/letters")).body.letters).toEqual([]);
    expect((await served.get("/api/breakers")).body.breakers).toEqual([]);
    expect((await served.get("/api/letters/01NONE")).status).toBe(404);
    expect((await served.post("/api/letters/retry", { ids: ["01NONE"] })).status).toBe(400);
    expect((await served.post("/api/letters/retry", { filter: { kind: "*" }, count: 2 })).status).toBe(409);
    expect((await served.post("/api/breakers/none/reset", { opened_at: null })).status).toBe(400);
  });
});

describe("a run", () => {
  it("whose sub-workflow failed leads the banner to where the error was raised", async () => {
    const run = await served.run("calls.yaml");
    const { body } = await served.get(`/api/runs/${run}`);
    expect(body.banner.step).toBe("call/break");
    expect((await served.get(`/api/runs/${run}/steps/call/break`)).body.attempts[0].lens.error.kind).toBe(
      "internal.script_error",
    );
  });
});
