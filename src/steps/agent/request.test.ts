// From a step to the call of a model: who is asked, with which settings, and what of it decides the answer.
import { describe, expect, it } from "vitest";
import { agentStep, testScope } from "../../../test/support/engine/attempt.ts";
import { BadValue, type WorkflowPlace } from "../step-type.ts";
import { agent } from "./run.ts";
import type { AgentStep } from "./schema.ts";

const requestOf = (fields: Partial<AgentStep>, workflow: Partial<WorkflowPlace> = {}, names = {}) =>
  agent.prepare(agentStep(fields), testScope(names, workflow)).request;

describe("who is asked", () => {
  const file = { name: "openai", base_url: "http://file", api_key: "k-file" };

  it.each<[string, Partial<AgentStep>, Partial<WorkflowPlace>, string, object]>([
    ["nobody in particular", {}, {}, "copilot", {}],
    [
      "the file's provider",
      {},
      { runtime: { provider: file } },
      "openai",
      { base_url: "http://file", api_key: "k-file" },
    ],
    ["the step's, by name", { provider: { name: "claude" } }, { runtime: { provider: file } }, "claude", {}],
    [
      "the step's, with settings of its own over the file's",
      { provider: { name: "openai", base_url: "http://step" } },
      { runtime: { provider: file } },
      "openai",
      { base_url: "http://step", api_key: "k-file" },
    ],
    [
      "whom the command line names, without the settings of others",
      { provider: { name: "openai", base_url: "http://step" } },
      { runtime: { provider: file }, provider: "anthropic" },
      "anthropic",
      {},
    ],
    [
      "whom the command line names, under another name in the file",
      { provider: { name: "claude", auth_token: "t" } },
      { provider: "anthropic" },
      "anthropic",
      { auth_token: "t" },
    ],
  ])("is %s", (_, fields, workflow, provider, settings) => {
    expect(requestOf(fields, workflow)).toMatchObject({ provider });
    expect(requestOf(fields, workflow).settings).toEqual(settings);
  });
});

describe("a hash", () => {
  const hashOf = (fields: Partial<AgentStep>, workflow: Partial<WorkflowPlace> = {}, names = {}): string =>
    JSON.stringify(agent.hashed?.(agent.prepare(agentStep(fields), testScope(names, workflow))));

  it("knows nothing of credentials, of who answers, of patience and of names that were not read", () => {
    const provider = { name: "openai", api_key: "k-1", headers: { "x-key": "k-2" } };
    const runtime = { provider, timeout: 30, max_session_seconds: 9 };
    expect(hashOf({ provider }, { runtime }, { n: 1 })).toBe(hashOf({}));
    expect(hashOf({ provider }, { runtime })).not.toMatch(/k-1|k-2/);
  });

  it.each<[string, Partial<AgentStep>, Partial<WorkflowPlace>]>([
    ["the prompt", { prompt: "Look." }, {}],
    ["the instructions", {}, { instructions: "Be brief." }],
    ["the model", { model: "m" }, {}],
    ["the temperature", {}, { runtime: { temperature: 1 } }],
  ])("knows %s", (_, fields, workflow) => expect(hashOf(fields, workflow)).not.toBe(hashOf({})));
});

describe("templates", () => {
  it("reach models, their effort, the validator's model and folders", () => {
    const names = { m: "gpt-5", e: " high ", judge: "m-2", dir: "repo" };
    const prepared = agent.prepare(
      agentStep({
        model: ["{{ m }}", "{{ '' }}"],
        reasoning: { effort: "{{ e }}" },
        validator: { criteria: "Is {{ m }}.", model: "{{ judge }}", max_retries: 1 },
        working_dir: "{{ dir }}",
      }),
      testScope(names),
    );
    expect(prepared.request.models).toEqual(["gpt-5"]);
    expect(prepared.request.options).toMatchObject({ reasoning_effort: "high", working_dir: "/w/repo" });
    expect(prepared.validator).toEqual({ criteria: "Is gpt-5.", model: "m-2", max_retries: 1 });
  });

  it("may leave the effort open, but not name one that does not exist", () => {
    expect(requestOf({ reasoning: { effort: "{{ '' }}" } }).options).toEqual({});
    expect(() => requestOf({ reasoning: { effort: "{{ 'huge' }}" } })).toThrow(BadValue);
  });

  it("of a prompt from a file take in others", () => {
    const scope = {
      ...testScope({ n: 2 }),
      templates: (field: string) => (field === "prompt" ? (name: string) => `[${name} {{ n }}]` : undefined),
    };
    const { request } = agent.prepare(agentStep({ prompt: "{% include 'tone.md' %}!", system_prompt: "s" }), scope);
    expect(request.prompt).toBe("[tone.md 2]!");
  });
});

describe("skills", () => {
  const skills = new Map([["big", [{ name: "big", parts: [{ name: "SKILL.md", text: "x".repeat(1000) }] }]]]);
  const prepared = (limits: object, fields: Partial<AgentStep> = {}) =>
    agent.prepare(
      agentStep(fields),
      testScope({}, { skills, runtime: { skills: ["big", "gone"], skill_injection: limits } }),
    );

  it("stand before the prompt, and are told of when they are large", () => {
    const { request, largeSkills } = prepared({ warn_bytes: 100, max_bytes: null });
    expect(request.prompt).toMatch(/^<skills>\n<skill name="big">\nx+\n<\/skill>\n<\/skills>\n\nReview\.$/);
    expect(largeSkills).toMatchObject({ limit: 100 });
    expect(prepared({ warn_bytes: null }).largeSkills).toBeUndefined();
  });

  it("that are too large are refused", () =>
    expect(() => prepared({ max_bytes: 500 })).toThrow(/max_bytes allows 500/));

  it("are not for an agent that says it wants none", () =>
    expect(prepared({}, { skills: [] }).request.prompt).toBe("Review."));
});

describe("what is Claude's alone", () => {
  const runtime = { provider: { name: "claude-agent-sdk", setting_sources: ["project"] } };
  const sourcesOf = (fields: Partial<AgentStep>): unknown => requestOf(fields, { runtime }).settings?.setting_sources;

  it("setting_sources are none for an agent that wants no skills", () => {
    expect(sourcesOf({})).toEqual(["project"]);
    expect(sourcesOf({ skills: ["x"] })).toEqual(["project"]);
    expect(sourcesOf({ skills: [] })).toEqual([]);
  });

  it("settings_dir is relative to the file, and a template", () => {
    const { options } = requestOf({ settings_dir: " {{ where }} " }, { dir: "/w", runtime }, { where: "cfg" });
    expect(options.settings_dir).toBe("/w/cfg");
    expect(() => requestOf({ settings_dir: "{{ where }}" }, { runtime }, { where: " " })).toThrow(BadValue);
  });
});
