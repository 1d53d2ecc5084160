// Any agent by ACP, with a stand-in for one: its answer, what it says, uses, asks for and changes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerGate } from "../../../services/gates/gates.ts";
import { heardBy, playStandIn, standInFile } from "./acp-stand-in.ts";
import { bareFolder, codingPlayground, hasSandbox, processesWith, saidIn, told } from "./workshop.ts";

const play = codingPlayground();

const shape = "output: { done: { type: boolean } }";

describe.skipIf(!hasSandbox)("an agent by ACP", () => {
  it("writes a file, says what it does and what it changed, and answers by Segno's own tool", async () => {
    const at = play();
    const acts = [
      { think: "It should be written." },
      { say: "I write it." },
      { run: "printf 'one\\ntwo\\n' > a.txt" },
      { tool: ["submit", { done: "yes" }] },
      { tool: ["submit", { done: true }] },
      { say: "Finished." },
      { later: "This is not heard any more." },
    ];
    const { result, events } = await playStandIn(at, { acts, step: shape });
    expect(result.errors).toEqual([]);
    const [completed] = told(events, "agent_completed");
    expect(completed?.output).toEqual({ done: true });
    expect(completed?.changes).toEqual({
      files: [{ path: "a.txt", change: "added", added: 2, removed: 0 }],
      added: 2,
      removed: 0,
    });
    expect(saidIn(events, "agent_message")).toBe("I write it.Finished.");
    expect(saidIn(events, "agent_reasoning")).toBe("It should be written.");
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "execute" }]);
    expect(told(events, "agent_session")).toHaveLength(1);
    const heard = heardBy(at);
    expect(heard[0]).toMatchObject({
      method: "initialize",
      params: { clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false } },
    });
    const [wrong, right] = heard.filter((one) => "tool" in one);
    expect(wrong).toMatchObject({
      tool: { isError: true, content: [{ text: expect.stringContaining("true or false") }] },
    });
    expect(right).toMatchObject({ tool: { content: [{ text: expect.stringContaining("done") }] } });
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("answers by JSON in its last text, and is asked again in its session when that does not fit", async () => {
    const at = play();
    const acts = [[{ say: "Well, it is done." }], [{ say: '{"done": true}' }]];
    // Each try is a process of its own: the session tells them apart.
    const first = await playStandIn(at, { acts: [{ say: '```json\n{"done": true}\n```' }], step: shape });
    expect(told(first.events, "agent_completed")[0]?.output).toEqual({ done: true });
    const { result, events } = await playStandIn(at, { acts: acts[0] ?? [], step: shape });
    expect(told(events, "agent_parse_recovery")).toHaveLength(2);
    expect(result.errors).toMatchObject([{ kind: "internal.schema_violation" }]);
    const methods = heardBy(at).map(({ method }) => method);
    expect(methods.filter((one) => one === "session/load")).toHaveLength(2);
    expect(saidIn(events, "agent_message")).not.toContain("earlier life");
  });

  it("counts what it says it used, of a cost only what is new, and a price where the file has one", async () => {
    const at = play();
    const cost = (amount: number) => ({
      update: { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "USD" } },
    });
    const usage = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 50 };
    const told1 = await playStandIn(at, {
      acts: [cost(0.25), { say: "no" }, cost(0.75), { end: { stopReason: "end_turn", usage } }],
      step: `${shape}, retry: { max_parse_recovery_attempts: 1 }`,
      env: { COST: JSON.stringify({ amount: 0.75, currency: "USD" }) },
    });
    const spent = told(told1.events, "agent_usage");
    expect(spent).toMatchObject([
      { input_tokens: 150, output_tokens: 20, cache_read_tokens: 50, cost_usd: 0.75 },
      { cost_usd: 0 },
    ]);
    const unknown = await playStandIn(at, { acts: [{ say: "done" }] });
    const [nothing] = told(unknown.events, "agent_usage");
    expect(nothing).toMatchObject({ cost_usd: null });
    expect(nothing).not.toHaveProperty("input_tokens");
    const limits = "limits: { budget_usd: 0.3, budget_mode: enforce }";
    const priced = await playStandIn(at, { acts: [{ say: "done" }], provider: "price: 0.5", more: limits });
    expect(told(priced.events, "budget_exceeded")).toMatchObject([{ spent_usd: 0.5 }]);
  });

  it("may do what its sandbox confines, and is denied the rest, which is a warning and never silent", async () => {
    const at = play();
    const acts = [
      { ask: { kind: "edit", title: "Write", locations: [{ path: join(at.work, "a.txt") }] } },
      { ask: { kind: "execute", title: "npm test", rawInput: { command: "npm test" } } },
      { ask: { kind: "edit", title: "Write", locations: [{ path: join(at.folder, "beside.txt") }] } },
      { ask: { kind: "edit", title: "Write", locations: [{ path: join(at.work, "segno.yaml") }] } },
      { ask: { kind: "fetch", title: "Fetch", rawInput: { url: "https://example.org/" } } },
      { ask: { kind: "read", title: "All", options: [{ optionId: "ever", name: "Ever", kind: "allow_always" }] } },
      { say: "done" },
    ];
    const { result, events } = await playStandIn(at, { acts });
    const given = heardBy(at).flatMap((one) =>
      "outcome" in one ? [(one.outcome as { optionId?: string }).optionId] : [],
    );
    expect(given).toEqual(["yes", "yes", "no", "no", "no", "ever"]);
    expect(result.status).toBe("completed");
    const denied = told(events, "agent_completed")[0]?.changes?.denied;
    expect(denied).toMatchObject([
      { what: `change ${at.folder}/beside.txt`, by: "policy", at: expect.stringMatching(/^\d{4}-/) },
      { what: `change ${at.work}/segno.yaml` },
      { what: "fetch https://example.org/" },
    ]);
    const warnings = told(events, "warning").map(({ message }) => message);
    expect(warnings.filter((one) => one.startsWith("fix was not allowed to"))).toHaveLength(3);
  });

  it("raises provider.denied with on_denied: raise, which a route can take and templates can read", async () => {
    const at = play();
    const acts = [{ ask: { kind: "fetch", title: "F", rawInput: { url: "https://example.org/" } } }, { say: "done" }];
    const step = "on_denied: raise, routes: [{ on_error: provider.denied, to: tell }, { to: $end }]";
    at.write({
      "main.yaml": `${standInFile({ acts, step })}  - { name: tell, type: set, values: { what: "{{ fix.denied[0].what }}", answer: "{{ fix.output.result }}" } }\n`,
    });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(told(events, "error_raised")).toMatchObject([
      { error: { kind: "provider.denied", details: { provider: "acp", denied: [{ by: "policy" }] } } },
    ]);
    expect(told(events, "agent_completed")[0]?.output).toMatchObject({
      what: "fetch https://example.org/",
      answer: "done",
    });
  });

  it("asks a person with ask: gate, and goes on in its session with the answer, also when it is no", async () => {
    const at = play();
    const wish = { kind: "fetch", title: "F", rawInput: { url: "https://example.org/" } };
    at.write({ "main.yaml": standInFile({ acts: [{ ask: wish }, { say: "done" }], provider: "ask: gate" }) });
    const { result } = await at.run("main.yaml");
    expect(result.status).toBe("paused");
    const answered = await answerGate(at.session, { run: result.run_id ?? "", value: "deny", inputs: {} });
    expect(answered).toMatchObject({ status: "completed" });
    const prompts = heardBy(at).filter(({ method }) => method === "session/prompt");
    expect(JSON.stringify(prompts.at(-1))).toContain("The answer is no.");
    const events = readFileSync(result.artifacts?.events_jsonl ?? "", "utf8");
    expect(events).toContain('"denied":[{"what":"fetch https://example.org/"');
    expect(events).not.toContain('"by":"policy"');
  });

  it.each([
    ["a session that it does not know any more", { LOAD: "yes" }, "rm sessions"],
    ["sessions that it cannot load", { LOAD: "no" }, ""],
  ])("begins anew, and says so, with %s", async (_, env, forget) => {
    const at = play();
    const acts = [...(forget ? [{ run: "rm -f $HOME/sessions.json" }] : []), { say: "no JSON" }];
    const { events } = await playStandIn(at, {
      acts,
      step: `${shape}, retry: { max_parse_recovery_attempts: 1 }`,
      env,
    });
    expect(told(events, "warning").map(({ message }) => message)).toContainEqual(
      expect.stringContaining("begins anew"),
    );
    expect(heardBy(at).filter(({ method }) => method === "session/new")).toHaveLength(2);
  });

  it("is ended at max_agent_iterations, whatever it says of the cancelled turn", async () => {
    const at = play();
    const acts = [...Array.from({ length: 5 }, () => ({ run: "true" })), { hang: true }, { say: "all is well" }];
    const { result, events } = await playStandIn(at, { acts, step: "max_agent_iterations: 2" });
    expect(result.errors).toMatchObject([{ kind: "provider.exhausted", details: { limit: "max_agent_iterations" } }]);
    expect(told(events, "agent_tool_start").length).toBeLessThanOrEqual(7);
    expect(heardBy(at).map(({ method }) => method)).toContain("session/cancel");
  });

  it.each([
    ["the model's refusal", { fail: { code: 401, message: "wrong key" } }, "provider.rejected", 401],
    [
      "an outage",
      { fail: { code: -32603, message: "Internal error", data: { details: "status: 503" } } },
      "provider.exhausted",
      503,
    ],
    [
      "a login that it wants",
      { fail: { code: -32000, message: "Authentication required" } },
      "provider.rejected",
      null,
    ],
    ["its own end", { exit: 3 }, "provider.exhausted", null],
    ["a refusal to work", { end: { stopReason: "refusal" } }, "provider.rejected", null],
  ])("raises a kind that fits %s", async (_, act, kind, status_code) => {
    const { result } = await playStandIn(play(), { acts: [act], step: "retry: { max_attempts: 2, delay_seconds: 0 }" });
    expect(result.errors).toMatchObject([{ kind, details: { provider: "acp", status_code } }]);
  });

  it("is not started without a sandbox of the operating system, unless it may do everything", async () => {
    const at = play();
    at.session.env.PATH = bareFolder(at.folder);
    const acts = [{ write: [join(at.folder, "beside.txt"), "x"] }, { say: "done" }];
    const { result } = await playStandIn(at, { acts });
    expect(result.errors).toMatchObject([
      { kind: "provider.rejected", message: expect.stringMatching(/apt install bubblewrap socat.*sandbox: full/) },
    ]);
    expect(existsSync(join(at.folder, "beside.txt"))).toBe(false);
    const full = await playStandIn(at, { acts, provider: "sandbox: full" });
    expect([full.result.errors, existsSync(join(at.folder, "beside.txt"))]).toEqual([[], true]);
  });

  it("says what is missing when there is no such program, or it speaks something else", async () => {
    const at = play();
    const other = await playStandIn(at, { acts: [], env: { ACP_VERSION: "7" } });
    expect(other.result.errors).toMatchObject([
      { kind: "provider.rejected", message: expect.stringContaining("version 7") },
    ]);
    at.write({ "main.yaml": standInFile({ acts: [] }).replace(/command: .*/, "command: no-such-agent") });
    const { result } = await at.run("main.yaml");
    expect(result.errors).toMatchObject([
      { kind: "provider.rejected", message: expect.stringContaining('no program "no-such-agent"') },
    ]);
  });
});
