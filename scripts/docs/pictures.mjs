// The pictures of docs/dashboard.md and of the README: the page over real runs, in a real browser.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"].find(existsSync);
const FOLDER = "docs/pictures";
const SEGNO = resolve("dist/main.cjs");
/** A page with pictures larger than this is slow to read. */
const MOST_BYTES = 150 * 1024;

const GATE = `workflow: { name: publish, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: |
      ## Publish 1.5.0?

      All **214 tests** passed. The changes:

      - An empty text no longer throws.
      - \`slugify\` keeps digits.
    options:
      - { label: Publish, value: "yes", route: done }
      - { label: Not today, value: "no", route: done, prompt_for: why }
  - { name: done, type: set, value: "{{ ask.output.selected }}" }
`;
const MIRRORS = `workflow: { name: mirrors, entry_point: copy, input: { hosts: { type: array, default: [ams, fra, lon, nyc, sfo, syd] } } }
for_each:
  - name: copy
    type: for_each
    source: workflow.input.hosts
    as: host
    max_concurrent: 2
    failure_mode: continue_on_error
    agent: { name: send, type: script, command: sh, args: [send.sh, "{{ host }}"], raises: [mirror.gone] }
agents: []
`;

const BACKUP = `workflow: { name: backup, entry_point: write }
agents:
  - { name: write, type: script, command: sh, args: [write.sh], raises: [disk.full] }
`;
const raising = (kind, message) =>
  `echo '{ "kind": "${kind}", "message": "${message}" }' > "$CONDUCTOR_ERROR_OUT"\necho '${message}' >&2\nexit 1\n`;

/** Name, address, theme, what has to be there before, how high. RELEASE and MIRRORS are runs. */
const SHOTS = [
  ["runs", "/", "light", ".run-row:not(.head)", 545],
  ["release", "/runs/RELEASE?step=tag&visit=1", "light", ".lens .routes"],
  ["release-dark", "/runs/RELEASE?step=tag&visit=1", "dark", ".lens .routes"],
  ["timeline", "/runs/RELEASE?view=time&step=upload&attempt=1", "light", ".segment"],
  ["lost", "/runs/MIRRORS?step=send&item=2", "light", ".lens"],
  ["gates", "/gates", "dark", ".gate .markdown strong", 400],
];

export const canTakePictures = () => CHROMIUM !== undefined && existsSync(SEGNO);
export const hasPictures = () => SHOTS.every(([name]) => existsSync(join(FOLDER, `${name}.png`)));

export async function takePictures() {
  const folder = mkdtempSync(join(tmpdir(), "segno-pictures-"));
  const root = join(folder, "shop");
  const env = { ...process.env, HOME: folder, SEGNO_HOME: join(folder, "home"), NO_COLOR: "1" };
  let server;
  try {
    cpSync("examples", root, { recursive: true });
    writeFileSync(join(root, "publish.yaml"), GATE);
    writeFileSync(join(root, "mirrors.yaml"), MIRRORS);
    writeFileSync(join(root, "send.sh"), `[ "$1" = lon ] || exit 0\n${raising("mirror.gone", "lon does not answer")}`);
    writeFileSync(join(root, "backup.yaml"), BACKUP);
    writeFileSync(join(root, "write.sh"), raising("disk.full", "no space is left on /mnt/backup"));
    // Its script raises with segno/raise.
    mkdirSync(join(root, "node_modules"));
    symlinkSync(resolve("."), join(root, "node_modules/segno"));
    const run = (...args) => {
      const { stdout, stderr } = spawnSync(process.execPath, [SEGNO, "run", ...args, "--output-format", "json"], {
        cwd: root,
        env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      const id = /"run_id":\s*"([^"]+)"/.exec(stdout)?.[1];
      if (!id) throw new Error(`${args[0]} was not run: ${stderr}`);
      return id;
    };
    run("raise.yaml");
    run("raise.yaml", "-i", "port=http");
    run("for-each.yaml");
    const runs = { MIRRORS: run("mirrors.yaml"), RELEASE: run("release.yaml") };
    run("backup.yaml");
    run("publish.yaml");
    server = spawn(process.execPath, [SEGNO, "serve", "--root", ".", "--port", "0"], { cwd: root, env });
    await photograph(await addressOf(server), runs);
  } finally {
    // It writes until it is gone, and a folder that is written to cannot be removed.
    if (server?.exitCode === null && server.kill("SIGINT")) await once(server, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address that the server prints, with its token. */
const addressOf = (server) =>
  new Promise((found, failed) => {
    let text = "";
    const read = (chunk) => {
      text += chunk;
      const address = /http:\S+#token=\S+/.exec(text)?.[0];
      if (address) found(address);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", () => failed(new Error(`segno serve ended: ${text}`)));
  });

async function photograph(address, runs) {
  const { chromium } = await import("playwright-core");
  const [base, token] = address.split("/#token=");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  mkdirSync(FOLDER, { recursive: true });
  try {
    for (const [name, path, theme, ready, height = 700] of SHOTS) {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width: 1180, height } });
      const page = await context.newPage();
      const place = path.replace(/[A-Z]{4,}/g, (run) => runs[run] ?? run);
      await page.goto(`${base}${place}#token=${token}`);
      await page.waitForSelector(ready);
      await page.evaluate("new Promise((done) => setTimeout(done, 400))");
      const file = join(FOLDER, `${name}.png`);
      await page.screenshot({ path: file });
      await context.close();
      const { size } = statSync(file);
      if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes`);
      console.log(file);
    }
  } finally {
    await browser.close();
  }
}
