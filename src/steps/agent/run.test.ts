// Agents on a model that says what the test tells it to.
import { describe, expect, it } from "vitest";
import { agentStep, field, testAttempt, testScope } from "../../../test/support/engine/attempt.ts";
import { raised } from "../../base/errors/index.ts";
import type { EnvelopesRaised } from "../step-type.ts";
import type { ModelRequest, ModelResult, ModelUsage } from "../world.ts";
import { agent } from "./run.ts";
import type { AgentStep } from "./schema.ts";

const approved = { approved: field({ type: "boolean" as const }) };

/** Runs an agent whose model gives these answers in order. */
async function ask(
  fields: Partial<AgentStep>,
  answers: readonly unknown[],
  usage: ModelUsage = {},
  options: { readonly envelopes?: EnvelopesRaised } = {},
) {
  const asked: ModelRequest[] = [];
  const callModel = async (request: ModelRequest): Promise<ModelResult> => {
    const content = answers[asked.length];
    asked.push(request);
    return { ok: true, content, usage };
  };
  const attempt = testAttempt({ world: { callModel }, ...options });
  const outcome = await agent.execute(agent.prepare(agentStep(fields), testScope({ n: 2 })), attempt);
  return { outcome, asked, attempt };
}

describe("an answer", () => {
  it.each([
    ["free text", {}, "fine", { result: "fine" }],
    ["text that looks like JSON, when no output was declared", {}, "[1]", { result: "[1]" }],
    ["raw text", { output_mode: "raw" as const }, '```json\n{"a": 1}\n```', { result: '```json\n{"a": 1}\n```' }],
    ["raw text that came as an object", { output_mode: "raw" as const }, { a: 1 }, { result: '{"a":1}' }],
    ["an object", {}, { a: 1 }, { a: 1 }],
    ["an object for a schema", { output: approved }, { approved: true, more: 1 }, { approved: true, more: 1 }],
    ["text that is an object", { output: approved }, ' {"approved": false} ', { approved: false }],
    [
      "an object in a fence",
      { output: approved },
      'Here:\n```json\n{"approved": true}\n```\nDone.',
      { approved: true },
    ],
    ["an object with a wrapped scalar", { output: approved }, { approved: { value: true } }, { approved: true }],
    ["one wrapped in a result", { output: approved }, { approved: { result: true } }, { approved: true }],
    ["one wrapped in its own name", { output: approved }, { approved: { approved: true } }, { approved: true }],
    [
      "one whose wrapper says more",
      { output: approved },
      { approved: { note: "why", value: false } },
      { approved: false },
    ],
    [
      "an object with an object of one key",
      { output: { a: field({ type: "object" as const }) } },
      { a: { b: {} } },
      { a: { b: {} } },
    ],
    ["an object in prose", { output: approved }, 'I say {"approved": true}, really.', { approved: true }],
  ])("that is %s", async (_, fields, answer, output) => {
    const { outcome, asked } = await ask(fields, [answer]);
    expect(outcome).toEqual({ ok: true, output });
    expect(asked).toHaveLength(1);
  });

  it("that is refused for good can be read in the error, its end at least", async () => {
    const said = `${"so ".repeat(1000)}{"approved": "maybe"}`;
    const { outcome } = await ask({ output: approved }, [said, said, said]);
    const { details } = "error" in outcome ? outcome.error : {};
    expect(details).toMatchObject({ failed_field: "approved", answer: said.slice(-2000) });
  });

  it("that has an object where a text should be is not taken for the text", async () => {
    const summary = { summary: field({ type: "string" as const }) };
    const { outcome } = await ask({ output: summary }, [{ summary: { error: "I could not" } }, { summary: "ok" }]);
    expect(outcome).toEqual({ ok: true, output: { summary: "ok" } });
  });

  it("of the wrong shape is asked for again, with what was wrong", async () => {
    const { outcome, asked, attempt } = await ask(
      { output: approved },
      [{ approved: "maybe" }, "no idea", { approved: true }],
      { input_tokens: 10, output_tokens: 1 },
    );
    expect(outcome).toEqual({ ok: true, output: { approved: true } });
    expect(asked[1]?.prompt).toMatch(/^Review\.\n[\s\S]*maybe[\s\S]*approved: a boolean is expected/);
    expect(asked[2]?.prompt).toContain("it is not a JSON object");
    expect(
      attempt.emitted("agent_parse_recovery").map((event) => [event.attempt, event.max_attempts, event.reason]),
    ).toEqual([
      [1, 2, "schema"],
      [2, 2, "syntax"],
    ]);
    expect(attempt.emitted("agent_usage").map((event) => [event.purpose, event.input_tokens])).toEqual([
      ["answer", 10],
      ["recovery", 10],
      ["recovery", 10],
    ]);
  });

  it("that never fits raises, with the last one as output", async () => {
    const { outcome, asked } = await ask({ output: approved }, Array(5).fill({ approved: "maybe" }));
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        kind: "internal.schema_violation",
        details: { node: "probe", source: "agent", failed_field: "approved" },
      },
      output: { approved: "maybe" },
    });
    expect(outcome.ok || outcome.error.details.malformed_envelope).toBeUndefined();
    expect(asked).toHaveLength(3);
  });

  it("is asked for as often as the step says", async () => {
    const retry = {
      max_attempts: 1,
      backoff: "fixed" as const,
      delay_seconds: 0,
      retry_on: [],
      max_parse_recovery_attempts: 0,
    };
    const { asked } = await ask({ output: approved, retry }, ["no"]);
    expect(asked).toHaveLength(1);
  });
});

describe("an envelope", () => {
  const envelope = { conductor_error: true, kind: "review.unreadable", message: "diff is binary" };

  it.each([
    ["as an object", envelope],
    ["as the whole text", `\n${JSON.stringify(envelope)}\n`],
  ])("%s is raised, before the schema is looked at", async (_, answer) => {
    const { outcome, asked } = await ask({ output: approved }, [answer]);
    expect(outcome).toEqual({
      ok: false,
      error: { kind: "review.unreadable", message: "diff is binary", details: {} },
    });
    expect(asked).toHaveLength(1);
  });

  it("inside other text is text", async () => {
    const answer = `It would be ${JSON.stringify(envelope)} then.`;
    expect((await ask({}, [answer])).outcome).toEqual({ ok: true, output: { result: answer } });
  });

  it.each([
    ["bare", (text: string) => text],
    ["in its wrapper", (text: string) => `{"answer_or_error":${text}}`],
  ])("that is nested too deeply, %s, is an error and no answer", async (_, written) => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const text = written(`{"conductor_error":true,"kind":"a.b","message":"m","details":{"x":${deep}}}`);
    const { outcome } = await ask({}, [text, text, text]);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "internal.schema_violation", message: expect.stringContaining("nested more than 500") },
    });
  });

  it("that has a number too large to be kept is an error and no answer", async () => {
    const text = '{"conductor_error":true,"kind":"a.b","message":"m","details":{"x":1e999}}';
    const { outcome } = await ask({}, [text, text, text]);
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining("the number 1e999") } });
  });

  it("that is malformed is asked for again, and then an error that needs no opting in", async () => {
    const { outcome, asked } = await ask({}, Array(5).fill({ conductor_error: true, message: "no kind" }));
    expect(outcome).toMatchObject({
      error: {
        kind: "internal.schema_violation",
        details: { source: "agent", failed_field: "kind", malformed_envelope: true },
      },
    });
    expect(asked).toHaveLength(3);
  });

  it("of an engine's kind is refused", async () => {
    const { outcome } = await ask({}, [{ ...envelope, kind: "provider.exhausted" }]);
    expect(outcome).toMatchObject({
      error: { kind: "internal.undeclared_kind", details: { original_kind: "provider.exhausted" } },
    });
  });
});

describe("an envelope at the end of free text", () => {
  const envelope = '{"conductor_error": true, "kind": "a.b", "message": "m", "details": {"x": {"y": 1}}}';
  const error = { kind: "a.b", message: "m", details: { x: { y: 1 } } };
  const asked = async (text: string, fields: Partial<AgentStep> = {}, envelopes: EnvelopesRaised = "last") => {
    const { outcome, attempt } = await ask(fields, [text, text, text], {}, { envelopes });
    return { outcome, warnings: attempt.emitted("warning").map(({ message }) => message) };
  };

  it.each([
    ["in a fence", `\`\`\`json\n${envelope}\n\`\`\`\n`, undefined],
    ["in a fence of tildes", `~~~\n${envelope}\n~~~`, undefined],
    ["in a fence after a sentence", `I cannot.\n\n\`\`\`json\n${envelope}\n\`\`\`\n\n`, "I cannot."],
    ["in a fence on one line", `So: \`\`\`${envelope}\`\`\``, "So:"],
    ["after a sentence", `I cannot: ${envelope}`, "I cannot:"],
    ["after a sentence with braces", `{x} and {"a": {}} and "{": ${envelope}`, '{x} and {"a": {}} and "{":'],
    ["after a mention of the key", `I set "conductor_error": true.\n${envelope}`, 'I set "conductor_error": true.'],
    [
      "with its details first",
      `No.\n{"details": {"x": {"y": 1}}, "kind": "a.b", "message": "m", "conductor_error": true}`,
      "No.",
    ],
  ])("%s is raised by an agent that opted in", async (_, text, before) => {
    const { outcome, warnings } = await asked(text);
    expect(outcome).toEqual({ ok: false, error, ...(before === undefined ? {} : { output: { result: before } }) });
    expect(warnings).toEqual([]);
    expect((await asked(text, { output_mode: "raw" }, "none")).outcome).toEqual({ ok: true, output: { result: text } });
    expect((await asked(text, {}, "apart")).outcome).toEqual(outcome);
    // Without opting in only an answer that is nothing else raises.
    expect((await ask({}, [text])).outcome).toEqual({ ok: true, output: { result: text } });
  });

  it("may hold another envelope in its details", async () => {
    const text = `No: {"conductor_error": true, "kind": "a.b", "message": "m", "details": {"first": ${envelope}}}`;
    expect((await asked(text)).outcome).toMatchObject({ ok: false, error: { kind: "a.b", details: { first: {} } } });
  });

  it.each([
    ["with text after it", `I would write \`\`\`${envelope}\`\`\` but it is fine.`],
    ["in quotes", `I would write \`${envelope}\``],
    ["inside another object", `{"example": ${envelope}}`],
    ["in a list", `Examples: [${envelope}]`],
    ["before another object", `${envelope}\n\n{"approved": true}`],
    ["that says false", `Done: ${envelope.replace("true", "false")}`],
  ])("%s is a quotation", async (_, text) => {
    for (const envelopes of ["last", "apart"] as const) {
      const { outcome, warnings } = await asked(text, {}, envelopes);
      expect(outcome).toEqual({ ok: true, output: { result: text } });
      expect(warnings).toEqual([]);
    }
  });

  it.each([
    ["on a line", `I cannot.\n${envelope}\nI am sorry.`, "I cannot.\n\nI am sorry."],
    ["in a fence", `\`\`\`json\n${envelope}\n\`\`\`\n\nI am sorry.`, "I am sorry."],
    [
      "on several lines",
      `No:\n{\n  "conductor_error": true,\n  "kind": "a.b",\n  "message": "m",\n  "details": {"x": {"y": 1}}\n}\nSorry, {x}.`,
      "No:\n\nSorry, {x}.",
    ],
  ])("with prose after it, %s, is raised where the file means that, else a warning", async (_, text, said) => {
    const { outcome } = await asked(text, {}, "apart");
    expect(outcome).toEqual({ ok: false, error, output: { result: said } });
    const last = await asked(text);
    expect(last.outcome).toEqual({ ok: true, output: { result: text } });
    expect(last.warnings).toEqual([expect.stringMatching(/was not raised: text follows it\./)]);
  });

  it("with prose after it is a warning beside another object, and never raised from a sentence", async () => {
    const two = await asked(`{"approved": true}\n${envelope}\nI am sorry.`, {}, "apart");
    expect(two.outcome.ok).toBe(true);
    expect(two.warnings).toEqual([expect.stringMatching(/not the only JSON object/)]);
    for (const text of [`See ${envelope}\nI am sorry.`, `> ${envelope}\n\nis what I would say.`])
      expect((await asked(text, {}, "apart")).outcome).toEqual({ ok: true, output: { result: text } });
  });

  it.each([
    ["has no kind", 'No.\n```\n{"conductor_error": true, "message": "m"}\n```', /kind is missing/],
    ["is not JSON", "No.\n```\n{'conductor_error': true, 'kind': 'a.b'}\n```", /cannot be read as JSON/],
    ["is one of two", `${envelope}\n${envelope}`, /more than one/],
    ["is quoted and malformed", 'As in {"conductor_error": true, "kind": "<kind>"}: fine.', /kind "<kind>" is not/],
  ])("that %s is a success with a warning", async (_, text, reason) => {
    const { outcome, warnings } = await asked(text);
    expect(outcome).toEqual({ ok: true, output: { result: text } });
    expect(warnings).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).toMatch(/^the answer of probe holds an error envelope that was not raised/);
  });

  it("changes nothing where the step has an output schema", async () => {
    const { outcome } = await asked(`No: ${envelope}`, { output: approved });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "internal.schema_violation" } });
  });

  it("is found in a long answer without long reading", async () => {
    const noise = `{ "conductor_error": [${"{".repeat(2000)}\n`.repeat(300);
    expect((await asked(`${noise}${envelope}`)).outcome).toMatchObject({ ok: false, error: { kind: "a.b" } });
  });
});

describe("a request", () => {
  it("carries the step's settings over the workflow's", () => {
    const scope = testScope(
      { n: 2, m: "gpt-5" },
      {
        instructions: "Be brief.",
        runtime: {
          provider: { name: "openai" },
          default_model: "d",
          temperature: 0.5,
          timeout: 30,
          skills: ["a"],
          working_dir: "repo",
        },
        skills: new Map([
          ["a", [{ name: "a", parts: [{ name: "SKILL.md", text: "A." }] }]],
          ["b", [{ name: "b", parts: [{ name: "SKILL.md", text: "B." }] }]],
        ]),
      },
    );
    const { request, context_keys } = agent.prepare(
      agentStep({
        prompt: "n is {{ n }}",
        system_prompt: "s{{ n }}",
        model: ["claude", "{{ m }}"],
        tools: [],
        skills: ["b"],
      }),
      scope,
    );
    expect(context_keys).toEqual(["n", "m"]);
    expect(request).toEqual({
      purpose: "answer",
      provider: "openai",
      settings: {},
      models: ["claude", "gpt-5"],
      system: "s2",
      prompt: 'Be brief.\n\n<skills>\n<skill name="b">\nB.\n</skill>\n</skills>\n\nn is 2',
      raises: [],
      tools: [],
      options: { temperature: 0.5, call_timeout_seconds: 30, working_dir: "/w/repo" },
    });
    const plain = agent.prepare(agentStep(), testScope()).request;
    expect(plain).toMatchObject({ provider: "copilot", models: [], system: "", tools: null });
  });

  it("says how to raise in the words of what the answer may be", () => {
    const raising = { inPlaceOfOutput: true, fromRaw: false };
    const promptFor = (fields: Partial<AgentStep>) =>
      agent.prepare(agentStep({ raises: ["a.b"], ...fields }), { ...testScope(), raising }).request.prompt;
    expect(promptFor({ output: approved })).toMatch(/give this error object in the place of the output/);
    expect(promptFor({ output: approved })).not.toMatch(/nothing around it/);
    expect(promptFor({})).toMatch(/Answer instead with this JSON object alone/);
    expect(promptFor({ output_mode: "raw" })).toBe("Review.");
  });

  it("says how to raise when the step declares kinds", () => {
    const { request } = agent.prepare(agentStep({ raises: ["review.unreadable"], output: approved }), testScope());
    expect(request.prompt).toMatch(/^Review\.\n\n[\s\S]*"conductor_error": true[\s\S]*Kinds: review\.unreadable/);
    expect(request.schema).toMatchObject({
      anyOf: [
        { properties: { approved: { type: "boolean" } } },
        { properties: { kind: { enum: ["review.unreadable"] } } },
      ],
    });
    expect(request.raises).toEqual(["review.unreadable"]);
  });

  it("is told of as it goes out", async () => {
    const { attempt } = await ask({ prompt: "n is {{ n }}" }, ["ok"]);
    expect(attempt.emitted("agent_prompt_rendered")).toEqual([
      { agent_name: "probe", rendered_prompt: "n is 2", context_keys: ["n"] },
    ]);
  });
});

it("a provider's error is the step's, with what had been said", async () => {
  const error = raised("provider.exhausted", "429", { provider: "anthropic" });
  const attempt = testAttempt({ world: { callModel: async () => ({ ok: false, error, content: "half", usage: {} }) } });
  const outcome = await agent.execute(agent.prepare(agentStep(), testScope()), attempt);
  expect(outcome).toEqual({ ok: false, error, output: "half" });
});

it.each([
  ["nothing but its changes when it had said nothing", undefined, {}],
  ["what it had said, when it had said something", "half", { output: { result: "half" } }],
])("an agent that failed in its folder has %s", async (_, content, said) => {
  const error = raised("provider.rejected", "400", { provider: "codex" });
  const changes = { files: [], added: 0, removed: 0 };
  const callModel = async (): Promise<ModelResult> => ({ ok: false, error, content, changes, usage: {} });
  const attempt = testAttempt({ world: { callModel } });
  const outcome = await agent.execute(agent.prepare(agentStep(), testScope()), attempt);
  expect(outcome).toEqual({ ok: false, error, ...said, changes });
});

it("what an agent changed stands beside its answer, also where that has a field of the name", async () => {
  const changes = { files: ["a.txt"], added: 1, removed: 0 };
  const callModel = async (): Promise<ModelResult> => ({ ok: true, content: { changes: 3 }, changes, usage: {} });
  const attempt = testAttempt({ world: { callModel } });
  const outcome = await agent.execute(agent.prepare(agentStep(), testScope()), attempt);
  expect(outcome).toEqual({ ok: true, output: { changes: 3 }, changes });
});

it("what an interrupted agent said is neither checked nor searched", async () => {
  const abort = new AbortController();
  const callModel = async (): Promise<ModelResult> => {
    abort.abort();
    return { ok: true, content: '{"conductor_error": true', usage: {} };
  };
  const attempt = testAttempt({ signal: abort.signal, world: { callModel } });
  const outcome = await agent.execute(agent.prepare(agentStep({ output: approved }), testScope()), attempt);
  expect(outcome).toMatchObject({ ok: true });
  expect(attempt.emitted("agent_parse_recovery")).toEqual([]);
});

describe("a validator", () => {
  const validator = { criteria: "no {{ n }}", max_retries: 1 };

  it("that finds nothing lets the answer pass", async () => {
    const { outcome, asked, attempt } = await ask({ validator }, ["good", { passed: true, issues: [] }]);
    expect(outcome).toEqual({ ok: true, output: { result: "good" } });
    expect(asked[1]).toMatchObject({ purpose: "validator", prompt: expect.stringContaining("no 2") });
    expect(attempt.emitted("agent_validator_complete")).toMatchObject([{ passed: true, errored: false }]);
  });

  it("that finds fault has the agent answer once more", async () => {
    const answers = ["bad", { passed: false, issues: ["too short"] }, "better", { passed: false, issues: ["still"] }];
    const { outcome, asked, attempt } = await ask({ validator }, answers);
    expect(outcome).toEqual({ ok: true, output: { result: "better" } });
    expect(asked[2]?.prompt).toMatch(/bad[\s\S]*too short/);
    expect(attempt.emitted("agent_validation_failed").map((event) => event.will_retry)).toEqual([true, false]);
  });

  it("that says nothing usable counts as passed", async () => {
    const { outcome, attempt } = await ask({ validator }, ["fine", "hm"]);
    expect(outcome).toMatchObject({ ok: true });
    expect(attempt.emitted("agent_validator_complete")).toMatchObject([{ passed: true, errored: true }]);
  });
});
