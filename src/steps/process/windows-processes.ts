// Who runs on Windows, and since when: from `wmic` where it still is, which is quick, else from PowerShell. Wine's `wmic` does
// not know when a process began, so the last way does not ask for it.
import { execFile, spawnSync } from "node:child_process";
import type { ProcessEntry, ProcessTable } from "./system.ts";
import { systemFile } from "./windows-system.ts";

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

/** The first that answered; it is asked from then on. */
let answering: Source | undefined;

export async function processesOnWindows(): Promise<ProcessTable | undefined> {
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
export function startOnWindows(pid: number): number | undefined {
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
