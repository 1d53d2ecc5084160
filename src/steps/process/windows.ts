// The side of Windows. There are no groups and no signals: a process that is not detached is in a job of Node's, which ends
// with this process; what it started is known by its parent's number alone, and can only be made to end.
import { spawnSync } from "node:child_process";
import { CLOCK_SLACK_MS, type System } from "./system.ts";
import { launchOnWindows } from "./windows-command.ts";
import { processesOnWindows, startOnWindows } from "./windows-processes.ts";
import { systemFile } from "./windows-system.ts";

export const windows: System = {
  launch: (command) => launchOnWindows(command),
  processes: processesOnWindows,
  // Asking when it began costs a process of its own, so the time stands in for it.
  identityOf: () => new Date().toISOString(),
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
