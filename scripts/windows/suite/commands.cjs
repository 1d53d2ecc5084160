// Commands as Windows has them: batch files, quoting, byte order marks, exit codes.
const assert = require("node:assert/strict");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { WORK, test } = require("./main.cjs");

const script = (fields) => `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, ${fields} }]
output: { said: "{{ a.output.stdout }}", code: "{{ a.output.exit_code }}" }
`;

/** As npm installs commands: a batch file, and for other shells a script without an extension, in one folder of the PATH. */
function npmLike(place) {
  const bin = join(place.folder, "bin dir");
  mkdirSync(bin);
  writeFileSync(join(bin, "show"), "#!/bin/sh\nexit 9\n");
  writeFileSync(join(bin, "show.cmd"), '@ECHO off\r\nnode "%~dp0show.js" %*\r\n');
  writeFileSync(join(bin, "show.js"), "console.log(JSON.stringify(process.argv.slice(2)))");
  place.env.PATH = `${bin};${place.env.PATH ?? place.env.Path}`;
}

test("a batch file on the PATH gets its arguments as they were written", (place) => {
  npmLike(place);
  const args = ["run", "two words", "a&b|c<d>e", "^caret", "(x)", "!bang!", "C:\\dir\\", "", "=,;", "schön", "'q'"];
  place.write("w.yaml", script(`command: show, args: ${JSON.stringify(args)}`));
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(output.said), args);
});

test("what no batch file can be given safely is refused", (place) => {
  npmLike(place);
  for (const arg of ['a" & echo pwned & "b', "%PATH%", "two\nlines"]) {
    place.write("w.yaml", script(`command: show, args: ${JSON.stringify([arg])}`));
    const { code, errors } = place.result("run", "w.yaml");
    assert.equal(code, 3);
    assert.equal(errors[0].kind, "internal.command_not_found");
    assert.match(errors[0].message, /is a batch file/);
  }
});

test("a program gets what a batch file may not", (place) => {
  const args = ['{"a": "b c"}', "%PATH%", "two\nlines", 'back\\"slash'];
  const say = "console.log(JSON.stringify(process.argv.slice(1)))";
  place.write("w.yaml", script(`command: node, args: ${JSON.stringify(["-e", say, "--", ...args])}`));
  const { code, output, stderr } = place.result("run", "w.yaml");
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(output.said), args);
});

test("commands that are not there, or are no programs, get a sentence", (place) => {
  place.write("build.ps1", "exit 0\n");
  for (const [command, said] of [
    ["nowhere-to-be-found", /was not found on PATH/],
    ["./build.ps1", /command: pwsh, args: \[\.\/build\.ps1/],
  ]) {
    place.write("w.yaml", script(`command: "${command}"`));
    const { code, errors } = place.result("run", "w.yaml");
    assert.equal(code, 3);
    assert.match(errors[0].message, said);
  }
});

test("a batch file raises as the docs say, and its exit code is heard", (place) => {
  const page = readFileSync(join(WORK, "node_modules", "segno", "docs", "errors.md"), "utf8");
  place.write("raise.cmd", /```bat\n([^`]+)```/.exec(page)[1].replaceAll("\n", "\r\n"));
  place.write("w.yaml", script("command: ./raise.cmd, raises: [git.drift]"));
  const raised = place.result("run", "w.yaml");
  assert.equal(raised.code, 3);
  assert.equal(raised.errors[0].kind, "git.drift");
  place.write("code.cmd", "@exit /b 7\r\n");
  place.write("w.yaml", script("command: ./code.cmd"));
  assert.equal(place.result("run", "w.yaml").output.code, 7);
});

test("an error file may begin with a byte order mark, or be UTF-16 as PowerShell writes it", (place) => {
  const json = '{"kind": "git.drift", "message": "main moved: größer"}';
  place.write("utf8.bin", Buffer.from(`\uFEFF${json}`));
  place.write("utf16.bin", Buffer.from(`\uFEFF${json}\r\n`, "utf16le"));
  for (const name of ["utf8", "utf16"]) {
    place.write(`${name}.cmd`, `@copy /y ${name}.bin "%CONDUCTOR_ERROR_OUT%" > nul\r\n@exit /b 1\r\n`);
    place.write("w.yaml", script(`command: ./${name}.cmd, raises: [git.drift]`));
    const { errors } = place.result("run", "w.yaml");
    assert.equal(errors[0].kind, "git.drift", JSON.stringify(errors));
    assert.match(errors[0].message, /größer/);
  }
});

test("stdout that begins with a byte order mark still gives fields", (place) => {
  place.write("said.bin", Buffer.from('\uFEFF{"n": 4}'));
  place.write("say.cmd", "@type said.bin\r\n");
  place.write(
    "w.yaml",
    `workflow: { name: w, entry_point: a }
agents: [{ name: a, type: script, command: ./say.cmd }]
output: { n: "{{ a.output.n }}" }
`,
  );
  assert.equal(place.result("run", "w.yaml").output.n, 4);
});

test("a scenario stands in for what a real script calls, and lets the rest through", (place) => {
  npmLike(place);
  place.write("call.cmd", "@echo off\r\ncall show one\r\ncall show two\r\n");
  place.write("w.yaml", script("command: ./call.cmd"));
  place.write(
    "s.scenario.yaml",
    `workflow: w.yaml
strict: false
cli_scripts: [{ command: show, args: [one], stdout: "scripted\\n" }]
expected_trace: { status: completed, output_contains: { code: 0 } }
`,
  );
  const { code, output, stderr, stdout } = place.result("run", "w.yaml", "--scenario", "s.scenario.yaml");
  assert.equal(code, 0, stderr + stdout);
  assert.match(output.said, /scripted\s+\["two"\]/);
});
