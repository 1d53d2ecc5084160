// A Debian 13 with Wine 10 and a real node.exe, kept in the user's cache folder: Debian 12's Wine cannot start Node.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const SUITE = "trixie";
const NODE = "22.23.2";
/** Changes when what is installed changes: the next run makes it anew. */
const STAMP = `wine, node ${NODE}`;
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };

/** Why it cannot be run here, in words; nothing when it can. */
export class CannotRun extends Error {}

/** Makes it unless it is there; gives its folder. */
export function windowsHere(say) {
  if (!(process.arch in ARCHITECTURES)) throw new CannotRun(`there is no node.exe for ${process.arch}`);
  if (process.getuid?.() !== 0) throw new CannotRun("it needs root, to enter another Debian");
  const root = join(cacheFolder(), process.arch);
  const stamp = join(root, "segno", "stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === STAMP) return root;
  if (spawnSync("debootstrap", ["--version"]).status !== 0) throw new CannotRun("debootstrap is not installed");
  const mirror = debianMirror();
  rmSync(root, { recursive: true, force: true });
  const draft = `${root}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  say(`making a Debian with Wine in ${root}; this is done once`);
  must(["debootstrap", "--variant=minbase", `--arch=${ARCHITECTURES[process.arch]}`, SUITE, draft, mirror]);
  // It can be made again: nothing has to survive a power cut.
  writeFileSync(join(draft, "etc/dpkg/dpkg.cfg.d/quick"), "force-unsafe-io\n");
  writeFileSync(join(draft, "etc/apt/apt.conf.d/quick"), 'Acquire::Languages "none";\n');
  const install = "apt-get install --yes --no-install-recommends wine wine64 && apt-get clean";
  must(inside(draft, ["sh", "-c", `apt-get update && DEBIAN_FRONTEND=noninteractive ${install}`]));
  mkdirSync(join(draft, "segno"));
  must(["npm", "pack", "--silent", `node-win-${process.arch}@${NODE}`], { cwd: join(draft, "segno") });
  const [packed] = readdirSync(join(draft, "segno"));
  must(["tar", "--extract", "--strip-components=2", "--file", packed, "package/bin/node.exe"], {
    cwd: join(draft, "segno"),
  });
  // Wine's own folders are made in the background, and would be cut off with the processes; then Node does not start.
  must(inside(draft, ["sh", "-c", "wine wineboot -i; wineserver -w; wine /segno/node.exe -v > /segno/version"]));
  writeFileSync(join(draft, "segno", "stamp"), STAMP);
  renameSync(draft, root);
  return root;
}

const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "segno-windows");

/** The mirror that apt uses here. */
function debianMirror() {
  const folder = "/etc/apt/sources.list.d";
  const files = [
    "/etc/apt/sources.list",
    ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []),
  ];
  const text = files
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const found = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(\S+\/debian\/?)(?:\s|$)/m.exec(text)?.[1];
  if (!found) throw new CannotRun("the sources of apt name no Debian mirror");
  return found;
}

const ENVIRONMENT = {
  HOME: "/root",
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  WINEDEBUG: "-all",
  WINEDLLOVERRIDES: "mscoree,mshtml=",
  WINEPATH: "Z:\\segno",
  XDG_RUNTIME_DIR: "/tmp",
};

/** A command inside: mounts and processes of its own, which end with it. */
const inside = (root, command) => [
  ...["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"],
  'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && root=$0 && exec chroot "$root" "$@"',
  ...[root, "/usr/bin/env", "-i"],
  ...Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
  ...command,
];

function must([command, ...args], { cwd } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const said = `${stdout ?? ""}\n${stderr ?? ""}`.trim().split("\n").slice(-3).join("; ");
  throw new CannotRun(`${[command, ...args].join(" ").slice(0, 80)} failed: ${error?.message ?? said}`);
}

/** Nothing may hang for longer: it takes three minutes on a busy machine. */
const LONGEST_MS = 20 * 60_000;

/** Runs a file of Node's in Wine. Its output goes to a file: to a pipe of Unix it cannot write. Gives its exit code. */
export function runInWine(root, args, log) {
  const output = openSync(log, "w");
  // Wine's server writes what it holds before it goes.
  const script = 'wine /segno/node.exe "$@"; code=$?; wineserver -k; wineserver -w; exit $code';
  const [command, ...rest] = inside(root, ["sh", "-c", script, "sh", ...args]);
  const child = spawn(command, rest, { stdio: ["ignore", output, output], timeout: LONGEST_MS });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
