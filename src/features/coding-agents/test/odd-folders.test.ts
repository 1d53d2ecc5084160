// A folder whose name means something in a pattern: what is guarded in it is guarded all the same.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codingPlayground, describeAgent, inTurn, told } from "./workshop.ts";

const play = codingPlayground();

const use = (name: string, file_path: string) => ({
  tools: [{ name, input: { file_path, ...(name === "Write" ? { content: "evil\n" } : {}) } }],
});

describeAgent("claude-agent-sdk", "in a folder with an odd name", () => {
  it("does not change its own workflow with its own tools", async () => {
    const at = play();
    const name = "app/[slug]/a\\b s*?t (x)";
    mkdirSync(join(at.folder, name), { recursive: true });
    const file = join(at.folder, name, "main.yaml");
    const fine = join(at.folder, name, "fine.txt");
    at.write({
      [join(name, "main.yaml")]: `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: claude-agent-sdk, default_model: claude-sonnet-4-5, working_dir: . }
agents:
  - { name: fix, prompt: Go. }
`,
    });
    at.play = inTurn(use("Read", file), use("Write", file), use("Write", fine), "done");
    const { result, events } = await at.run(join(name, "main.yaml"));
    expect(result.errors).toEqual([]);
    expect(JSON.stringify(told(events, "agent_tool_complete")[0]?.result)).toContain("entry_point");
    expect(readFileSync(file, "utf8")).not.toContain("evil");
    expect(readFileSync(fine, "utf8")).toBe("evil\n");
  });
});
