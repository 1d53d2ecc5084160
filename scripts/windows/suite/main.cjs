// The suite, in plain Node inside Windows: each test in a folder of its own. `main.cjs WORDS` runs those whose names have them.
const { spawn, spawnSync } = require("node:child_process");
const { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const WORK = "Z:\\work";
const SEGNO = join(WORK, "node_modules", "segno", "dist", "main.cjs");
const SYSTEM = join(process.env.SystemRoot, "System32");
const tests = [];

/** What a test is given: a folder with its own home for runs, and the program. */
class Place {
  constructor(name) {
    this.folder = join(WORK, "places", name.replace(/\W+/g, "-"));
    mkdirSync(this.folder, { recursive: true });
    this.env = { ...process.env, SEGNO_HOME: join(this.folder, "home") };
  }
  write(name, text) {
    writeFileSync(join(this.folder, name), text);
    return join(this.folder, name);
  }
  read(name) {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }
  segno(...args) {
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [SEGNO, ...args], {
      cwd: this.folder,
      env: this.env,
      encoding: "utf8",
      timeout: 120_000,
    });
    if (error) throw error;
    return { status, stdout, stderr };
  }
  /** The result as JSON, with the exit code and what else was said. */
  result(...args) {
    const { status, stdout, stderr } = this.segno(...args, "--output-format", "json", "-q");
    try {
      return { ...JSON.parse(stdout), code: status, stderr };
    } catch {
      throw new Error(`segno ${args.join(" ")} exited with ${status} and said no JSON: ${stdout}${stderr}`);
    }
  }
  /** Goes on while the test does. */
  start(...args) {
    const child = spawn(process.execPath, [SEGNO, ...args], { cwd: this.folder, env: this.env });
    child.said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (child.said += data));
    child.ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
    return child;
  }
}

/** Looks until it is so. The limit ends what hangs: a busy machine takes minutes for what takes seconds. */
async function until(what, isSo) {
  for (const end = Date.now() + 8 * 60_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await isSo();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

/** Processes whose command line has this text, as the Linux below knows them: Wine itself cannot say. */
const running = (text) =>
  readdirSync("Z:\\proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`Z:\\proc\\${name}\\cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });

const kill = (pid) => spawnSync(join(SYSTEM, "taskkill.exe"), ["/F", "/PID", String(pid)]);

const test = (name, run) => tests.push({ name, run });

module.exports = { WORK, test, until, running, kill };

async function main() {
  const words = process.argv.slice(2);
  for (const file of ["basics.cjs", "processes.cjs", "commands.cjs", "faces.cjs"]) require(`./${file}`);
  let failed = 0;
  for (const { name, run } of tests.filter(
    (one) => words.length === 0 || words.some((word) => one.name.includes(word)),
  )) {
    const began = Date.now();
    const took = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
    try {
      await run(new Place(name));
      console.log(`✓ ${name}  ${took()}`);
    } catch (error) {
      failed += 1;
      console.log(`✗ ${name}  ${took()}\n${error?.stack ?? error}`);
    }
  }
  console.log(failed === 0 ? `${process.version}: all passed` : `${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

if (require.main === module) setImmediate(main);
