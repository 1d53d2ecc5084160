// What a user does first, and what the rest stands on.
const assert = require("node:assert/strict");
const { existsSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const { WORK, test } = require("./main.cjs");

const EXAMPLES = join(WORK, "examples");

test("doctor says where it is, in one line", (place) => {
  const { code, checks } = place.result("doctor");
  assert.equal(code, 0);
  const line = checks.find(({ name }) => name === "platform").message;
  assert.match(line, /^Windows, \w+: tested under Wine/);
});

test("the first run of the README gets through its trouble", (place) => {
  const { code, output, errors } = place.result("run", join(EXAMPLES, "release.yaml"));
  assert.equal(code, 0, JSON.stringify(errors));
  assert.ok(output);
});

test("all scenarios of the examples pass", (place) => {
  // Without those of the definition in TypeScript, whose project is not trusted here.
  const { status, stdout, stderr } = place.segno("test", join(EXAMPLES, "tests"), join(EXAMPLES, "gallery"));
  assert.equal(status, 0, stdout + stderr);
  for (const name of readdirSync(join(EXAMPLES, "tests"))) assert.ok(stdout.includes(name.split(".")[0]), name);
});

test("init writes what runs here", (place) => {
  assert.equal(place.segno("init").status, 0);
  assert.equal(place.segno("validate", "hello.yaml").status, 0);
  const { status, stdout, stderr } = place.segno("test");
  assert.equal(status, 0, stdout + stderr);
});

test("durability power", (place) => {
  place.write("w.yaml", "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, values: { b: 1 } }]\n");
  const { status, stderr } = place.segno("run", "w.yaml", "--durability", "power");
  assert.equal(status, 0, stderr);
});

test("the environment is found in any case", (place) => {
  place.env.My_Word = "hello";
  const { PATH, ...others } = place.env;
  place.env = { ...others, Path: PATH };
  place.write(
    "w.yaml",
    `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: node, args: [-e, "console.log(process.env.mY_wORD, process.env.Other)"], env: { OTHER: "\${MY_WORD}" } }]
output: { said: "{{ a.output.stdout | trim }}" }
`,
  );
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.equal(output.said, "hello hello");
  place.write(
    "w.yaml",
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: script, command: nowhere }]\n",
  );
  const { errors } = place.result("run", "w.yaml");
  assert.match(errors[0].message, /was not found on PATH\. /);
});

test("either separator leads to a file and a folder", (place) => {
  const { mkdirSync } = require("node:fs");
  mkdirSync(join(place.folder, "tools", "in"), { recursive: true });
  place.write("tools/in/here.txt", "found");
  place.write("tools/say.cmd", "@type here.txt\r\n");
  for (const [command, folder] of [
    ["../say.cmd", "tools/in"],
    ["..\\\\say.cmd", "tools\\\\in"],
  ]) {
    place.write(
      "w.yaml",
      `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: "${command}", working_dir: "${folder}" }]
output: { said: "{{ a.output.stdout | trim }}" }
`,
    );
    const { code, output, stderr } = place.result("run", "w.yaml");
    assert.equal(code, 0, stderr);
    assert.equal(output.said, "found");
  }
});

test("an error file is no link that leads elsewhere, and its folder goes", (place) => {
  place.write("secret.json", '{"kind": "secret.read", "message": "what no script may reach by a link"}');
  place.write(
    "link.js",
    `const fs = require("fs"); const file = process.env.CONDUCTOR_ERROR_OUT;
console.log(file); fs.rmSync(file);
try { fs.symlinkSync(require("path").resolve("secret.json"), file) } catch (error) { console.log("no link: " + error.code) }
process.exit(1);`,
  );
  place.write(
    "w.yaml",
    `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: node, args: [link.js], routes: [{ to: b }, { on_error: true, to: b }] }, { name: b, type: set, values: { kind: "{{ error.kind if error is defined else none }}", file: "{{ a.output.stdout }}" } }]
output: { kind: "{{ b.output.kind }}", file: "{{ b.output.file | trim }}" }
`,
  );
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.notEqual(output.kind, "secret.read");
  assert.ok(!existsSync(join(output.file.split(/\s/)[0], "..")), output.file);
});

test("a project's plugin is trusted and used", (place) => {
  place.env.USERPROFILE = place.folder;
  place.env.HOME = place.folder;
  const linked = join(place.folder, "node_modules");
  require("node:fs").mkdirSync(linked);
  require("node:fs").cpSync(join(WORK, "node_modules", "segno"), join(linked, "segno"), { recursive: true });
  assert.equal(place.segno("init", "--project").status, 0);
  const trusted = place.segno("trust", "--yes");
  assert.equal(trusted.status, 0, trusted.stdout + trusted.stderr);
  place.write(
    "w.yaml",
    'workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: shout, text: hello }]\noutput: { said: "{{ a.output }}" }\n',
  );
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.equal(output.said, "HELLO");
});

test("the library runs a workflow", (place) => {
  place.write("w.yaml", "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, values: { b: 1 } }]\n");
  const entry = require("node:url").pathToFileURL(join(WORK, "node_modules", "segno", "dist", "index.js")).href;
  place.write(
    "main.mjs",
    `import { run } from ${JSON.stringify(entry)};\nconst { status } = await run("w.yaml");\nconsole.log(status);\n`,
  );
  const ran = require("node:child_process").spawnSync(process.execPath, ["main.mjs"], {
    cwd: place.folder,
    env: place.env,
    encoding: "utf8",
  });
  assert.equal(ran.stdout.trim(), "completed", ran.stderr);
});

test("stdin, long output and many scripts at once", (place) => {
  place.write(
    "w.yaml",
    `workflow: { name: w, entry_point: many, input: { items: { type: array, default: [1, 2, 3, 4, 5, 6] } } }
agents: []
for_each:
  - name: many
    type: for_each
    source: workflow.input.items
    as: n
    max_concurrent: 3
    agent:
      name: one
      type: script
      command: node
      args: [-e, "let s = ''; process.stdin.on('data', (d) => s += d).on('end', () => console.log(JSON.stringify({ said: s, long: 'x'.repeat(2e6).length })) || process.stderr.write('y'.repeat(3e5)))"]
      stdin: "number {{ n }}"
output: { said: "{{ many.outputs | map(attribute='said') | list | tojson }}" }
`,
  );
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    output.said,
    [1, 2, 3, 4, 5, 6].map((n) => `number ${n}`),
  );
});

test("what is over can be shown, explained, drawn and pruned", (place) => {
  place.write("w.yaml", "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, values: { b: 1 } }]\n");
  const { run_id } = place.result("run", "w.yaml");
  for (const args of [["runs"], ["show", run_id], ["explain", run_id], ["graph", "w.yaml"], ["errors", "w.yaml"]]) {
    const { status, stdout, stderr } = place.segno(...args);
    assert.equal(status, 0, `segno ${args.join(" ")}: ${stdout}${stderr}`);
  }
  const pruned = place.segno("runs", "prune", "--all", "--keep", "0", "--yes");
  assert.equal(pruned.status, 0, pruned.stderr);
  assert.deepEqual(readdirSync(join(place.folder, "home", "runs")), []);
});
