// What a failed script and a misfit output are, by the dialect of the file and by the fields of the step.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runAsIn03 } from "../../../test/support/older-run.ts";
import { Playground } from "../../../test/support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const file = (list: "agents" | "steps", entry: string, text: string): string =>
  `workflow: { name: w, entry_point: ${entry} }\n${list}:\n${text}`;
const sh = (name: string, command: string, more = ""): string =>
  `  - { name: ${name}, type: script, command: sh, args: [-c, '${command}']${more} }\n`;

async function run(text: string, files: Readonly<Record<string, string>> = {}) {
  ground.write({ "w.yaml": text, ...files });
  return ground.run("w.yaml");
}

describe("a script that fails", () => {
  it.each([
    ["by its exit code", "exit 3", 3],
    ["by a signal", "kill -9 $$", 137],
  ])("%s ends a run of a file with steps, and no later step runs", async (_, command, code) => {
    const { result } = await run(
      file("steps", "a", sh("a", command, ", routes: [{ to: b }]") + sh("b", "echo published")),
    );
    expect(result).toMatchObject({ status: "failed", exit_code: 3 });
    expect(result.errors).toMatchObject([
      { kind: "internal.script_error", node_id: "a", details: { exit_code: code } },
    ]);
    expect(result.execution?.steps.map(({ node_id, status }) => [node_id, status])).toContainEqual(["a", "failed"]);
    expect(result.execution?.steps.find(({ node_id }) => node_id === "b")?.status).not.toBe("completed");
  });

  it("is handled by an error route", async () => {
    const routes = ", routes: [{ to: $end }, { on_error: internal.script_error, to: b }]";
    const { result } = await run(file("steps", "a", sh("a", "exit 3", routes) + sh("b", "true")));
    expect(result).toMatchObject({ success: true });
  });

  it("is data in a file with agents, and the result says that nobody looked", async () => {
    const { result, events } = await run(file("agents", "a", sh("a", "exit 3")));
    expect(result).toMatchObject({
      success: true,
      warnings: [{ node_id: "a", message: /exited with 3.*ok_exit_codes/ }],
    });
    expect(events.filter(({ type }) => type === "warning")).toHaveLength(1);
  });

  it("is data without a warning where the file reads the code, or the step says that it does not matter", async () => {
    const read = ", routes: [{ to: $end, when: exit_code == 3 }, { to: $end }]";
    for (const more of [read, ", ok_exit_codes: any"])
      expect((await run(file("agents", "a", sh("a", "exit 3", more)))).result).toMatchObject({
        success: true,
        warnings: [],
      });
  });

  it("raises in a file with agents where the step opts in", async () => {
    expect((await run(file("agents", "a", sh("a", "exit 3", ", raises: []")))).result).toMatchObject({ exit_code: 3 });
  });

  it("in a child is what the child's own file says", async () => {
    const call = "  - { name: c, type: workflow, workflow: child.yaml }\n";
    const child = (list: "agents" | "steps") => ({ "child.yaml": file(list, "a", sh("a", "exit 3")) });
    expect((await run(file("steps", "c", call), child("agents"))).result).toMatchObject({ success: true });
    expect((await run(file("agents", "c", call), child("steps"))).result).toMatchObject({ exit_code: 3 });
  });
});

describe("ok_exit_codes", () => {
  const text = (list: "agents" | "steps", command: string, codes: string): string =>
    file(
      list,
      "a",
      sh(
        "a",
        command,
        `, ok_exit_codes: ${codes}, routes: [{ to: $end, when: exit_code > 0, output: { code: "{{ output.exit_code }}" } }, { to: $end }]`,
      ),
    );

  it.each([
    ["a code of the list", "exit 3", "[0, 3]", { success: true, output: { code: 3 } }],
    ["0, whether or not it is listed", "exit 0", "[3]", { success: true, output: {} }],
    ["another code", "exit 4", "[0, 3]", { exit_code: 3 }],
    ["any code", "exit 9", "any", { success: true, output: { code: 9 } }],
    ["a signal, which no list has", "kill -9 $$", "[0, 137]", { exit_code: 3 }],
  ])("%s", async (_, command, codes, expected) => {
    for (const list of ["agents", "steps"] as const)
      expect((await run(text(list, command, codes))).result).toMatchObject(expected);
  });

  it("has a signal in `any`, with the code of the file's dialect", async () => {
    const routed = (list: "agents" | "steps") =>
      text(list, "kill -9 $$", "any").replace("exit_code > 0", "exit_code != 0");
    expect((await run(routed("agents"))).result).toMatchObject({ success: true, output: { code: -9 } });
    expect((await run(routed("steps"))).result).toMatchObject({ success: true, output: { code: 137 } });
  });

  it("is read after the error file and raise_when", async () => {
    const envelope = '{"kind": "x.said", "message": "m"}';
    const said = `echo "$1" > "$SEGNO_ERROR_OUT"; exit 3`;
    const by = `workflow: { name: w, entry_point: a }\nsteps:\n  - name: a\n    type: script\n    command: sh\n`;
    const codes = "    ok_exit_codes: [3]\n    raise_when: [{ kind: x.ruled, when: exit_code == 3, message: m }]\n";
    const ruled = await run(`${by}    args: [-c, exit 3]\n${codes}`);
    expect(ruled.result.errors).toMatchObject([{ kind: "x.ruled" }]);
    const raised = await run(`${by}    args: [-c, '${said}', sh, '${envelope}']\n${codes}`);
    expect(raised.result.errors).toMatchObject([{ kind: "x.said" }]);
  });

  it.each([
    ["[300]", 3, /a whole number from 0 to 255, but it is the number 300/],
    ["[]", 3, /exit codes from 0 to 255, or `any`/],
    ["3", 3, /exit codes/],
    ["all", 3, /exit codes/],
    ["[-1]", 3, /0 to 255/],
    ["[0, x]", 3, /0 to 255/],
    ["{ ok: 3 }", 3, /exit codes/],
  ])("%s is refused with its place", async (codes, line, message) => {
    const { result } = await run(file("steps", "a", sh("a", "true", `, ok_exit_codes: ${codes}`)));
    expect(result).toMatchObject({ exit_code: 2, errors: [{ location: { file: "w.yaml", line } }] });
    expect(result.errors[0]?.message).toMatch(message);
  });
});

describe("an output that does not fit", () => {
  const text = (list: "agents" | "steps", more = ""): string =>
    file(list, "a", `  - { name: a, type: set, value: "{{ 1 }}", output: { x: { type: string } }${more} }\n`);

  it.each([
    ["is an error in a file with steps", text("steps"), 3],
    ["ends the run in a file with agents", text("agents"), 1],
    ["ends the run where the step says so", text("steps", ", schema_violation: data"), 1],
    ["is an error where the step of agents opts in", text("agents", ", raises: []"), 3],
  ])("%s", async (_, yaml, code) => {
    expect((await run(yaml)).result).toMatchObject({ exit_code: code, errors: [{ node_id: "a" }] });
  });
});

describe("a run that goes on", () => {
  const text = (command: string): string =>
    `workflow: { name: w, entry_point: gate }\nsteps:\n  - { name: gate, type: human_gate, prompt: go, options: [{ label: y, value: y, route: a }] }\n${sh("a", command)}`;

  it("keeps the rules of 0.3, if it began under 0.3", async () => {
    ground.write({ "w.yaml": text("exit 3") });
    const { result } = await runAsIn03(ground, "w.yaml");
    expect(result.status).toBe("paused");
    expect((await ground.resume(result.run_id ?? "", { skipGates: true })).result).toMatchObject({ success: true });
  });

  it("keeps the rules that it began with", async () => {
    const { result } = await run(text("exit 3"));
    const { result: then } = await ground.resume(result.run_id ?? "", { skipGates: true });
    expect(then).toMatchObject({ exit_code: 3, errors: [{ kind: "internal.script_error" }] });
  });
});
