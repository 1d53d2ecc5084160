// `segno mcp --tools`: workflows that ask for it are tools of their own, and the list of tools stays short all the same.
import { afterEach, describe, expect, it } from "vitest";
import { type Connected, connect } from "./client.ts";

const open: Connected[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function connected(args: readonly string[]): Promise<Connected> {
  const one = await connect("stdio", { era: "new", args });
  open.push(one);
  return one;
}

const deploy = (name: string): string => `
workflow:
  name: ${name}
  description: Deploys the service to the environment that is named, and waits until it answers.
  entry_point: go
  mcp: { tool: true }
  input:
    env: { type: string, description: where to }
    dry: { type: boolean, default: false }
agents:
  - name: go
    type: script
    command: echo
    args: ["{{ workflow.input.env }}"]
    raises: [deploy.refused]
output: { code: "{{ go.output.exit_code }}", said: "{{ go.output.stdout | trim }}" }
`;

const OTHER = "workflow: { name: other, entry_point: a }\nagents: [{ name: a, type: set, value: '1' }]\n";

describe("with --tools", () => {
  it("a workflow that asks for it is a tool, with its inputs, its output and the kinds that can leave it", async () => {
    const one = await connected(["--tools"]);
    one.write("deploy.yaml", deploy("deploy now"));
    one.write("taken.yaml", deploy("run_status"));
    one.write("other.yaml", OTHER);
    one.write("broken.yaml", deploy("broken").replace("entry_point: go", "entry_point: gone"));
    const { tools } = await one.client.listTools();
    expect(tools.slice(-2)).toMatchObject([
      {
        name: "deploy_now",
        description: expect.stringMatching(/^Deploys the service.*deploy\.refused/),
        inputSchema: {
          properties: { env: { type: "string", description: "where to" }, dry: { type: "boolean", default: false } },
          required: ["env"],
        },
        outputSchema: { properties: { output: { properties: { code: { type: ["number", "null"] }, said: {} } } } },
      },
      { name: "run_status_2" },
    ]);
    const done = await one.call("deploy_now", { env: "eu" });
    expect(done.object).toMatchObject({ status: "completed", output: { code: 0, said: "eu" }, file: "deploy.yaml" });
    const refused = await one.call("deploy_now", { dry: true });
    expect(refused).toMatchObject({ isError: true, object: { status: "invalid" } });
    one.write("deploy.yaml", deploy("deploy now").replace("tool: true", "tool: false"));
    expect(await one.call("deploy_now", { env: "eu" })).toMatchObject({ isError: true });
  });

  it("Conductor's words say whether it is one, and what it may do", async () => {
    const one = await connected(["--tools"]);
    const own = (await one.client.listTools()).tools.length;
    const said = {
      plain: "{ expose: true }",
      careful: "{ expose: true, read_only: true }",
      harmless: "{ tool: true, destructive: false, mode: sync, estimated_minutes: 5 }",
      never: "{ tool: true, expose: false }",
    };
    for (const [name, mcp] of Object.entries(said))
      one.write(`${name}.yaml`, deploy(name).replace("{ tool: true }", mcp));
    const listed = (await one.client.listTools()).tools.slice(own);
    expect(listed.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["careful", { readOnlyHint: true, destructiveHint: false }],
      ["harmless", { readOnlyHint: false, destructiveHint: false }],
      ["plain", { readOnlyHint: false, destructiveHint: true }],
    ]);
    expect((await one.call("harmless", { env: "eu" })).object).toMatchObject({ status: "completed" });
  });

  it("there are at most 20, in a list of at most 5 000 tokens", async () => {
    const one = await connected(["--tools", "--allow-gate-answers"]);
    const own = (await one.client.listTools()).tools.length;
    for (let number = 10; number < 35; number++) one.write(`w${number}.yaml`, deploy(`deploy_${number}`));
    const listed = await one.client.listTools();
    expect(listed.tools.length - own).toBeGreaterThan(12);
    expect(listed.tools.length - own).toBeLessThanOrEqual(20);
    expect(JSON.stringify(listed.tools).length / 3.5).toBeLessThanOrEqual(5000);
    expect((await one.call("deploy_12", { env: "eu" })).object.output).toMatchObject({ said: "eu" });
  });
});

it("without --tools no workflow is a tool", async () => {
  const one = await connected([]);
  one.write("deploy.yaml", deploy("deploy"));
  expect((await one.client.listTools()).tools.map(({ name }) => name)).not.toContain("deploy");
});
