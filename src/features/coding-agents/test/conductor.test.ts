// Conductor's own files for agents that work in a folder, unchanged, on the agents that they name.
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CONDUCTOR_FOLDER } from "../../../../test/compat/conductor-files.ts";
import { answerForSchema, startAgentFake } from "../../../../test/fakes/index.ts";
import { codingPlayground, describeAgent, told } from "./workshop.ts";

const play = codingPlayground();

const take = (name: string): string => {
  copyFileSync(join(CONDUCTOR_FOLDER, name), join(play().folder, name));
  return name;
};

describeAgent("claude-agent-sdk", "with Conductor's files", () => {
  it("claude-agent-sdk-repo-qa.yaml reads a file with the tools that it has by itself", async () => {
    const at = play();
    writeFileSync(join(at.folder, "README.md"), "Bridges are built here.\n");
    at.play = ({ results }) =>
      results.length === 0
        ? { tools: [{ name: "Read", input: { file_path: join(at.folder, "README.md") } }] }
        : { json: { answer: "bridges", evidence: results[0]?.includes("Bridges") ? "seen" : "not seen" } };
    const { result } = await at.run(take("claude-agent-sdk-repo-qa.yaml"), {
      inputs: { question: { value: "What?" } },
    });
    expect(result).toMatchObject({ status: "completed", output: { answer: "bridges", evidence: "seen" } });
  });

  it("claude-agent-sdk-session-key.yaml goes on with one session, over a loop and another step", async () => {
    const at = play();
    at.play = ({ index, schema }) =>
      index === 0 ? { json: { finding: "first", confident: false } } : { json: answerForSchema(schema) };
    const { result, events } = await at.run(take("claude-agent-sdk-session-key.yaml"), {
      inputs: { goal: { value: "Why is it slow?" } },
    });
    expect(result).toMatchObject({ status: "completed" });
    const sessions = told(events, "agent_session");
    expect(sessions.map(({ agent_name }) => agent_name)).toEqual(["investigate", "investigate", "summarize"]);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(JSON.stringify(at.requests.at(-1)?.messages)).toContain("Why is it slow?");
  });
});

describeAgent("copilot", "with Conductor's files", () => {
  it("copilot-local-llm.yaml asks the model that runs on this machine", async () => {
    const at = play();
    const ollama = await startAgentFake({ port: 11_434, answers: ({ schema }) => ({ json: answerForSchema(schema) }) });
    try {
      const { result } = await at.run(take("copilot-local-llm.yaml"), { inputs: { question: { value: "What?" } } });
      expect(result.status).toBe("completed");
      expect(ollama.requests.length).toBeGreaterThan(0);
    } finally {
      await ollama.close();
    }
  });
});
