// The side of Windows. There are no groups and no signals: a process that is not detached is in a job of Node's, which ends
// with this process; what it started is known by its parent's number alone, and can only be made to end.
import { execFile, spawnSync } from "node:child_process";
import { systemFile } from "./platform.ts";
import { CLOCK_SLACK_MS, type ProcessEntry, type ProcessTable, type System } from "./system.ts";
import { launchOnWindows } from "./windows-command.ts";

// Who runs on Windows, and since when: from `wmic` where it still is, which is quick, else from PowerShell. Wine's `wmic` does
// not know when a process began, so the last way does not ask for it.

interface Source {
  readonly path: readonly string[];
  readonly args: readonly string[];
}

const WMIC = ["wbem", "wmic.exe"];
const CIM = `Get-CimInstance Win32_Process -Property ProcessId,ParentProcessId,CreationDate | ForEach-Object { '{0} {1} {2}' -f $(if ($_.CreationDate) { ([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds() } else { 'unknown' }), $_.ParentProcessId, $_.ProcessId }`;

const SOURCES: readonly Source[] = [
  { path: WMIC, args: ["process", "get", "CreationDate,ParentProcessId,ProcessId"] },
  { path: ["WindowsPowerShell", "v1.0", "powershell.exe"], args: ["-NoProfile", "-NonInteractive", "-Command", CIM] },
  { path: WMIC, args: ["process", "get", "ParentProcessId,ProcessId"] },
];

const OPTIONS = { encoding: "buffer", windowsHide: true, maxBuffer: 16 * 1024 * 1024 } as const;

let answering: Source | undefined;

async function processesOnWindows(): Promise<ProcessTable | undefined> {
  for (const source of answering ? [answering] : SOURCES) {
    const printed = await new Promise<Buffer>((resolve) =>
      execFile(systemFile(...source.path), [...source.args], OPTIONS, (_, stdout) => resolve(stdout)),
    );
    const table = heard(source, printed);
    if (table) return table;
  }
  return undefined;
}

/** In milliseconds; undefined where that cannot be known. */
function startOnWindows(pid: number): number | undefined {
  for (const source of answering ? [answering] : SOURCES) {
    const began = heard(source, spawnSync(systemFile(...source.path), [...source.args], OPTIONS).stdout)?.get(
      pid,
    )?.began;
    if (answering) return began;
  }
  return undefined;
}

function heard(source: Source, printed: Buffer | null): ProcessTable | undefined {
  const table = readProcesses(printed ?? Buffer.alloc(0));
  if (table.size === 0) return undefined;
  answering = source;
  return table;
}

/** A line each: when it began, its parent, itself. `wmic` writes UTF-16. */
export function readProcesses(printed: Buffer): ProcessTable {
  const text = printed.toString(printed.includes(0) ? "utf16le" : "latin1");
  const entries = text.split(/\r*\n/).flatMap((line): ProcessEntry[] => {
    const [, start = "", parent, pid] = /^\uFEFF?\s*(?:(\S+)\s+)?(\d+)\s+(\d+)\s*$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const began = momentOf(start);
    const identity = Number.isNaN(began) ? "" : new Date(began).toISOString();
    return [{ pid: Number(pid), parent: Number(parent), group: 0, session: 0, identity, began, zombie: false }];
  });
  return new Map(entries.map((entry) => [entry.pid, entry]));
}

/** Milliseconds, or as WMI writes a moment: `20261117015000.123456+060`, the last being minutes east of UTC. */
function momentOf(text: string): number {
  const [, date, seconds, zone] = /^(\d{8})(\d{6}\.\d{3})\d*([+-]\d{3})$/.exec(text) ?? [];
  if (date === undefined || seconds === undefined) return /^\d{12,}$/.test(text) ? Number(text) : Number.NaN;
  const iso = `${date.replace(/^(....)(..)/, "$1-$2-")}T${seconds.replace(/^(..)(..)/, "$1:$2:")}Z`;
  return Date.parse(iso) - Number(zone) * 60_000;
}

export const windows: System = {
  launch: (command) => launchOnWindows(command),
  processes: processesOnWindows,
  // Asking when it began costs a process of its own, so the time stands in for it.
  identityOf: () => new Date().toISOString(),
  nameOf: () => undefined,
  holdersOf: () => undefined,
  isSameProcess: ({ identity, began }, other) =>
    identity === other || Number.isNaN(began) || Math.abs(began - Date.parse(other)) < CLOCK_SLACK_MS,
  isFromThisBoot: () => true,
  beganAt: (identity) => Date.parse(identity) - CLOCK_SLACK_MS,
  environments: () => [],
  environmentOf: () => [],
  canAsk: false,
  killMs: 10_000,
  signal(_, entries) {
    for (const { pid } of entries) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself in the meantime.
      }
    }
  },
  signalTrees(pids) {
    const named = pids.flatMap((pid) => ["/PID", String(pid)]);
    if (named.length > 0) spawnSync(systemFile("taskkill.exe"), ["/T", "/F", ...named], { windowsHide: true });
  },
  // A signal would end it: it looks for its note by itself.
  interrupt: () => {},
  hasSignals: false,
  isStopped: () => false,
  startOf: startOnWindows,
  syncsFolders: false,
  shim: {
    files: (command, program) => ({
      [`${command}.cmd`]: `@"${process.execPath}" "%~dp0${command}.shim.cjs" %*\r\n`,
      [`${command}.shim.cjs`]: program,
    }),
    // What batch files are given has come through cmd.exe before, so that its quotes are good enough.
    real: `process.env.ComSpec, ["/d", "/v:off", "/s", "/c", '"' + [command, ...args.map((arg) => '"' + arg + '"')].join(" ") + '"'], { stdio: "inherit", windowsVerbatimArguments: true }`,
  },
  opener: (url) => [systemFile("..", "explorer.exe"), url],
  // The temporary folder is the user's own; there are no modes to read.
  isOwnFolder: () => true,
  keepsOthersOut: () => true,
};
