// Copilot for real, where its runtime is to be had: x64 Linux. Elsewhere this is skipped, and says so.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, inTurn, processesWith, told } from "./workshop.ts";

const play = codingPlayground();

const file = (step: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime:
    provider: { name: copilot, type: openai, wire_api: completions, base_url: "${play().fake.url}/v1", api_key: nobody }
    default_model: gpt-5
    working_dir: work
agents:
  - { name: fix, ${step} }
`;

const create = (path: string) => ({ tools: [{ name: "create", input: { path, file_text: "x\n" } }] });
const bash = (command: string) => ({
  tools: [{ name: "bash", input: { command, description: "try", mode: "sync", initial_wait: 30 } }],
});

describeAgent("copilot", "at work", () => {
  it("writes below its folder, says so, and leaves no process", async () => {
    const at = play();
    at.play = inTurn(create(join(at.work, "a.txt")), "done");
    at.write({ "main.yaml": file("prompt: Write it.") });
    const { result, events } = await at.run("main.yaml");
    expect(result.status).toBe("completed");
    expect(at.files()).toEqual(["a.txt"]);
    expect(told(events, "agent_tool_start")).toMatchObject([{ tool_name: "create" }]);
    await expect.poll(() => processesWith(result.run_id ?? "-")).toEqual([]);
  });

  it("may neither write beside its folder nor run commands", async () => {
    const at = play();
    const beside = join(at.folder, "beside.txt");
    at.play = inTurn(create(beside), bash(`echo x > ${beside}`), "done");
    at.write({ "main.yaml": file("prompt: Write it.") });
    await at.run("main.yaml");
    expect(at.requests.at(-1)?.results).toHaveLength(2);
    expect(existsSync(beside)).toBe(false);
  });

  it.each([
    [401, "provider.rejected"],
    [503, "provider.exhausted"],
  ])("raises by the status %i: %s", async (status, kind) => {
    const at = play();
    at.play = () => ({ status });
    at.write({ "main.yaml": file("prompt: Go., retry: { max_attempts: 1 }") });
    expect((await at.run("main.yaml")).result.errors).toMatchObject([{ kind }]);
  });
});
