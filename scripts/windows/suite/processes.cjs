// Processes that have to end: by a timeout, with a killed engine, by `cancel`.
const assert = require("node:assert/strict");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { test, until, running, kill } = require("./main.cjs");

/** A step whose program has a child, and that one a child: each writes its number, and none ends by itself. */
const FAMILY = `const fs = require("fs"), { spawn } = require("child_process");
const [, , file, depth] = process.argv;
fs.appendFileSync(file, process.pid + "\\n");
if (Number(depth) > 0) spawn(process.execPath, [__filename, file, depth - 1], { stdio: "ignore", detached: true });
setInterval(() => {}, 1000);
`;

const workflow = (file, more = "") => `workflow: { name: w, entry_point: a }
agents:
  - { name: a, type: script, command: family.cmd, args: [${file}, 2]${more} }
`;

function family(place, file, more) {
  place.write("family.js", FAMILY);
  place.write("family.cmd", '@node "%~dp0family.js" %*\r\n');
  place.env.PATH = `${place.folder};${place.env.PATH ?? place.env.Path}`;
  place.write("w.yaml", workflow(file, more));
}

const pidsIn = (place, file) => place.read(file).split("\n").filter(Boolean).map(Number);
const all = (place, file, count) =>
  until(`${count} processes`, () => pidsIn(place, file).length >= count && pidsIn(place, file));

test("a timeout ends a batch file, its program and what that started", async (place) => {
  // On a slow machine not all of them have begun after the first time.
  for (const seconds of [6, 30, 120]) {
    family(place, `pids-${seconds}`, `, timeout: ${seconds}`);
    const { code, errors } = place.result("run", "w.yaml");
    assert.equal(code, 3);
    assert.equal(errors[0].kind, "internal.timeout");
    assert.deepEqual(running("family.js"), []);
    if (pidsIn(place, `pids-${seconds}`).length === 3) return;
  }
  assert.fail("the step never had all of its processes");
});

test("a killed engine leaves no second copy: ten kills, each with a resume", async (place) => {
  family(place, "pids");
  place.write("family.js", `if (require("fs").existsSync("finish")) process.exit(0);\n${FAMILY}`);
  let engine = place.start("run", "w.yaml", "-q");
  for (let time = 1; time <= 10; time++) {
    await all(place, "pids", time * 3);
    // Each drive starts the step once more; before it does, what an earlier one left is gone.
    assert.equal(running("family.js").length, 3, `in drive ${time}`);
    if (time === 10) place.write("finish", "");
    kill(engine.pid);
    await engine.ended;
    engine = place.start("resume", "-q");
  }
  assert.equal(await engine.ended, 0, engine.said);
  assert.deepEqual(running("family.js"), []);
  assert.equal(pidsIn(place, "pids").length, 30);
  // What killed engines left in the temporary folder is removed by the next.
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith("segno-errors-")),
    [],
  );
});

test("cancel from another process stops the step and leaves the run resumable", async (place) => {
  family(place, "pids");
  const engine = place.start("run", "w.yaml");
  await all(place, "pids", 3);
  const [run] = readdirSync(join(place.folder, "home", "runs"));
  // It waits for a while, and says so when the machine is too slow for that; asked again, it waits again.
  await until(
    "the end of what was cancelled",
    () => place.result("cancel", run).code === 0 || engine.exitCode !== null,
  );
  assert.equal(await engine.ended, 130, engine.said);
  assert.match(engine.said, /Cancelled from elsewhere/);
  assert.deepEqual(running("family.js"), []);
  assert.ok(!existsSync(join(place.folder, "home", "runs", run, "stop-requested")));
});

test("a run that is driven is not taken for a crashed one, and a crashed one is seen", async (place) => {
  family(place, "pids");
  const engine = place.start("run", "w.yaml", "-q");
  await all(place, "pids", 3);
  const again = place.segno("resume", "-q");
  assert.notEqual(again.status, 0);
  assert.match(again.stderr, /drive/i);
  kill(engine.pid);
  await engine.ended;
  assert.match(place.segno("runs").stdout, /crashed|stopped|resum/i);
  assert.equal(place.segno("cancel", readdirSync(join(place.folder, "home", "runs"))[0]).status, 0);
});

test("an MCP server behind a batch file ends with the run", async (place) => {
  place.write("server.js", readFileSync(join(__dirname, "mcp-server.cjs"), "utf8"));
  place.write("server.cmd", '@node "%~dp0server.js" %*\r\n');
  place.write(
    "w.yaml",
    `workflow: { name: w, entry_point: a, runtime: { mcp_servers: { desk: { command: ./server.cmd } } } }
agents: [{ name: a, type: mcp, server: desk, tool: hello }]
output: { said: "{{ a.output.content[0].text }}" }
`,
  );
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.equal(output.said, "hello from the desk");
  assert.deepEqual(running("server.js"), []);
});
