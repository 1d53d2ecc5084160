// What depends on the era of the protocol and on the transport: questions in the middle of a request, progress, cancelling,
// and what becomes of a run when its server ends.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../test/support/until.ts";
import {
  type AnswerForm,
  type Connected,
  type ConnectOptions,
  connect,
  ERAS,
  newFolder,
  TRANSPORTS,
} from "./client.ts";

const SLOW = `
workflow: { name: slow, entry_point: first }
agents:
  - { name: first, type: set, value: "1", routes: [{ to: rest }] }
  - { name: rest, type: script, command: sh, args: [-c, "until [ -e go-on ]; do sleep 0.05; done; echo done"] }
output: { said: "{{ rest.output.stdout | trim }}" }
`;

const GATES = `
workflow: { name: gates, entry_point: ship }
agents:
  - name: ship
    type: human_gate
    prompt: Ship it?
    options:
      - { label: Yes, value: ship_it, route: who, prompt_for: why }
      - { label: No, value: wait, route: $end }
  - name: who
    type: questions
    questions: [{ id: owner, text: Who owns it?, required: true }]
    routes: [{ to: done }]
  - { name: done, type: set, value: "{{ ship.output.additional_input.why }}, {{ who.output.answers.owner }}" }
output: { said: "{{ done.output if done is defined else 'nothing' }}" }
`;

const GUARDED = `
workflow: { name: guarded, entry_point: ship }
agents:
  - { name: ship, type: human_gate, prompt: Ship it?, four_eyes: true, options: [{ label: Yes, value: ship_it, route: $end }] }
`;

const LARGE = `
workflow: { name: large, entry_point: make }
agents:
  - { name: make, type: script, command: node, args: [-e, "console.log('x'.repeat(70000))"] }
output: { text: "{{ make.output.stdout | trim }}", size: "large" }
`;

/** Each era and each transport has runs that are driven inside the server, and in processes of their own. */
const DOORS = ERAS.flatMap((era) =>
  TRANSPORTS.map((transport) => [era, transport, { isInside: (era === "old") === (transport === "http") }] as const),
);

describe.each(DOORS)("a client of the %s era over %s", (era, transport, { isInside }) => {
  const open: Connected[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const connected = async (options: ConnectOptions = {}): Promise<Connected> => {
    const one = await connect(transport, { era, isInside, ...options });
    open.push(one);
    return one;
  };
  const ended = (one: Connected, run_id: string) =>
    until(async () => {
      const { object } = await one.call("run_status", { run_id });
      return object.status === "running" ? undefined : object;
    });

  // One for all tests that neither end it nor want to be alone with it, and one that may ask about gates.
  let segno: Connected;
  let asking: Connected;
  let form: AnswerForm;
  beforeAll(async () => {
    [segno, asking] = await Promise.all([
      connect(transport, {
        era,
        isInside,
        form: () => ({ action: "accept", content: { choice: "ship_it", for_why: "x" } }),
      }),
      connect(transport, { era, isInside, args: ["--allow-gate-answers"], form: (asked) => form(asked) }),
    ]);
  });
  afterAll(() => Promise.all([segno.close(), asking.close()]));

  it("finds its runs after the server was restarted in the middle of them, and can cancel one", async () => {
    const folder = newFolder();
    folders.push(folder);
    const first = await connect(transport, { era, folder });
    first.write("slow.yaml", SLOW);
    const begin = async (more = {}): Promise<string> => {
      const begun = await first.call("workflow_run", { file: "slow.yaml", wait_seconds: 0.2, ...more });
      expect(begun).toMatchObject({ isError: false, object: { status: "running" } });
      return begun.object.run_id;
    };
    const kept = await begin();
    const unwanted = await begin();
    // A call that still waits does not keep the server.
    const inside = await begin({ detach: false });
    await first.close();

    const again = await connected({ folder });
    const running = async (): Promise<string[]> =>
      (await again.call("run_list", { status: "running" })).object.runs.map((run: { run_id: string }) => run.run_id);
    // Over stdio the server may be ending still.
    expect(await ended(again, inside)).toMatchObject({ status: "cancelled", checkpoint: { resumable: true } });
    expect((await running()).sort()).toEqual([kept, unwanted].sort());
    expect((await again.call("run_cancel", { run_id: unwanted })).object.status).toBe("cancelled");
    expect(await running()).toEqual([kept]);
    again.write("go-on", "");
    expect(await ended(again, kept)).toMatchObject({ status: "completed", output: { said: "done" } });
    const { events } = (await again.call("run_events", { run_id: kept })).object;
    expect(events.map((event: { type: string }) => event.type)).not.toContain("run_resumed");
  });

  it("hears of each step, and a cancelled request stops its run", async () => {
    segno.write("slow.yaml", SLOW);
    for (const detach of [true, false]) {
      const stop = new AbortController();
      const heard: string[] = [];
      const onprogress = ({ message = "" }: { message?: string }) => {
        heard.push(message);
        if (message.startsWith("rest runs")) stop.abort("enough");
      };
      const call = segno.call("workflow_run", { file: "slow.yaml", detach }, { signal: stop.signal, onprogress });
      await expect(call).rejects.toThrow();
      expect(heard).toEqual(expect.arrayContaining(["first runs", "first done", "rest runs"]));
      const run_id = /run (\w+) of slow began/.exec(heard[0] ?? "")?.[1] ?? "";
      expect(await ended(segno, run_id)).toMatchObject({ status: "cancelled", checkpoint: { resumable: true } });
    }
  });

  it("is asked about gates with forms, one after the other, and its answers count as its own", async () => {
    const asked: string[] = [];
    form = ({ message, requestedSchema }) => {
      asked.push(message);
      const { properties } = requestedSchema as { properties: Record<string, object> };
      const content: Record<string, string> =
        "choice" in properties ? { choice: "ship_it", for_why: "tested" } : { owner: "kim" };
      return { action: "accept", content };
    };
    const one = asking;
    one.write("gates.yaml", GATES);
    const done = await one.call("workflow_run", { file: "gates.yaml" });
    expect(done.object).toMatchObject({ status: "completed", output: { said: "tested, kim" } });
    expect(asked).toEqual(["ship: Ship it?", expect.stringContaining("who")]);
    const { events } = (await one.call("run_events", { run_id: done.object.run_id })).object;
    expect(JSON.stringify(events)).toContain("mcp:test-agent");

    one.write("guarded.yaml", GUARDED);
    expect((await one.call("workflow_run", { file: "guarded.yaml" })).object.status).toBe("paused");
    expect(asked).toHaveLength(2);
  });

  it.each(["decline", "cancel"] as const)("leaves a gate waiting when its user chooses to %s", async (action) => {
    form = () => ({ action });
    asking.write("gates.yaml", GATES);
    const held = await asking.call("workflow_run", { file: "gates.yaml" });
    expect(held).toMatchObject({ isError: false, object: { status: "paused", gate: { node_id: "ship" } } });
    const { run_id } = held.object;
    const { gates } = (await asking.call("gate_list")).object;
    expect(gates).toContainEqual(expect.objectContaining({ run_id, node_id: "ship" }));
  });

  it("is told when an answer fits no option, and the run waits on", async () => {
    form = () => ({ action: "accept", content: { choice: "perhaps" } });
    asking.write("gates.yaml", GATES);
    const held = await asking.call("workflow_run", { file: "gates.yaml" });
    expect(held).toMatchObject({ isError: false, object: { status: "paused", errors: [], gate: { node_id: "ship" } } });
    expect(held.text).toContain('"perhaps" is none of the options of ship');
    expect(held.object.warnings[0].message).toContain("the answer does not count");
  });

  it("is not asked about gates unless the server allows that", async () => {
    segno.write("gates.yaml", GATES);
    expect((await segno.call("workflow_run", { file: "gates.yaml" })).object.status).toBe("paused");
  });

  it("works below the folders that it has open, and answers gates there", async () => {
    const folder = newFolder();
    folders.push(folder);
    mkdirSync(join(folder, "inside"));
    writeFileSync(join(folder, "outside.yaml"), GATES);
    writeFileSync(join(folder, "inside/gates.yaml"), GATES);
    const one = await connected({
      folder,
      roots: [join(folder, "inside")],
      args: ["--allow-gate-answers"],
      form: () => ({ action: "accept", content: { choice: "wait" } }),
    });
    expect((await one.call("workflow_list")).object.workflows).toMatchObject([{ file: "gates.yaml" }]);
    expect((await one.call("workflow_run", { file: "gates.yaml" })).object).toMatchObject({
      status: "completed",
      file: "gates.yaml",
    });
    const refused = await one.call("workflow_run", { file: "../outside.yaml" });
    expect(refused.object.errors[0].error_type).toBe("OutsideRoot");
    expect((await one.client.readResource({ uri: "segno://cheat-sheet" })).contents).toHaveLength(1);
    const { resources } = await one.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("segno://cheat-sheet");
  });

  it("gets a link to a result that is large, with what matters beside it", async () => {
    segno.write("large.yaml", LARGE);
    const done = await segno.call("workflow_run", { file: "large.yaml" });
    const uri = `segno://runs/${done.object.run_id}/result`;
    expect(done.object).toMatchObject({ success: true, status: "completed", left_out: { "output/text": 70_002 } });
    expect(done.object).toMatchObject({ resource: uri });
    expect(done.rest).toMatchObject([{ type: "resource_link", uri, mimeType: "application/json" }]);
    expect(JSON.stringify([done.object, done.text]).length).toBeLessThan(50_000);
    const read = async (address: string): Promise<readonly string[]> =>
      (await segno.client.readResource({ uri: address })).contents.map((content) => (content as { text: string }).text);
    const [first = "", note] = await read(`${uri}/output/text`);
    expect(note).toBe(`This is page 1. The next page is the resource ${uri}/output/text?page=2`);
    const [second = "", last] = await read(`${uri}/output/text?page=2`);
    expect([first.length + second.length, last]).toEqual([70_000, "This is page 2, the last one."]);
    await expect(read(`${uri}/output/text?page=3`)).rejects.toThrow("nothing at");
    await expect(read(`${uri}/output/other`)).rejects.toThrow("nothing at");
  });
});
