// Who is asked: the file's provider, the step's, or the command line's, over resumes; and that keys stay where they are.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startOpenAiFake } from "../fakes/index.ts";
import { modelPlayground } from "./model.ts";

const play = modelPlayground();

const file = (provider: string, step = ""): string => `
workflow: { name: w, entry_point: a, runtime: { provider: ${provider} } }
agents:
  - { name: a, prompt: one, ${step} routes: [{ to: gate }] }
  - { name: gate, type: human_gate, prompt: "?", options: [{ label: go, value: go, route: b }] }
  - { name: b, prompt: two }
`;

describe("a provider", () => {
  it("that is chosen for the run is asked whatever the file says, also on a resume", async () => {
    play().write({ "main.yaml": file("openai", "provider: copilot, model: gpt-5,") });
    const { result } = await play().run("main.yaml", { provider: "anthropic" });
    expect(result.status).toBe("paused");
    const resumed = await play().resume(result.run_id ?? "", { skipGates: true });
    expect(resumed.result).toMatchObject({ status: "completed" });
    expect(play().requests.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  it("may come from the environment, and another from the resume", async () => {
    const other = await startOpenAiFake({ answers: ["ok"] });
    Object.assign(play().session.env, {
      SEGNO_PROVIDER: "claude",
      OPENAI_BASE_URL: `${other.url}/v1`,
      OPENAI_API_KEY: "key-of-nobody",
    });
    try {
      play().write({ "main.yaml": file("copilot") });
      const { result } = await play().run("main.yaml");
      expect(play().requests).toHaveLength(1);
      const resumed = await play().resume(result.run_id ?? "", { skipGates: true, provider: "openai" });
      // The first answer stands, whoever gave it.
      expect(resumed.result).toMatchObject({ status: "completed" });
      expect([play().requests.length, other.requests.length]).toEqual([1, 1]);
    } finally {
      await other.close();
    }
  });

  it("that nobody knows is refused before anything runs", async () => {
    play().write({ "main.yaml": file("copilot") });
    const { result } = await play().run("main.yaml", { provider: "oracle" });
    expect(result).toMatchObject({ status: "invalid", exit_code: 2, error: expect.stringContaining("oracle") });
  });

  it("of a step may have an address and a key of its own, which nothing that is written down holds", async () => {
    const { env } = play().session;
    const url = env.ANTHROPIC_BASE_URL;
    Object.assign(env, {
      ANTHROPIC_BASE_URL: undefined,
      ANTHROPIC_API_KEY: undefined,
      HOUSE_PASS: "pass-of-the-house",
    });
    play().answer = ({ headers }) => `your key is ${headers["x-api-key"]}`;
    play().write({
      "main.yaml": file(
        "copilot",
        `provider: { name: claude, base_url: "${url}", api_key: "\${HOUSE_PASS}", headers: { x-team: red } }, model: m,`,
      ),
    });
    const { result } = await play().run("main.yaml");
    expect(play().requests[0]?.headers).toMatchObject({ "x-api-key": "pass-of-the-house", "x-team": "red" });
    expect(result.status).toBe("paused");
    const events = readFileSync(result.artifacts?.events_jsonl ?? "", "utf8");
    expect(events).toContain("your key is <redacted>");
    expect(events + JSON.stringify(result)).not.toContain("pass-of-the-house");
  });
});
