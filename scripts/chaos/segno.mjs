// One process of Segno: started through its command line, killed when asked, and what it said at its end.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
const MAIN = fileURLToPath(new URL(bin.segno, ROOT));

/** What takes longer than this, however slow the machine, hangs. */
const LONGEST_MS = 240_000;

/** Every run has a home of its own; compiled code it takes from this user's, where the build has put it. */
const KEPT_CODE = { XDG_CACHE_HOME: join(homedir(), ".cache") };

/** `under`: a command that starts it, `began` is handed the process. `{ code, signal, hung, result, stderr }`; `result` is the object it printed, if it came to that. */
export function segno(args, { cwd, home, log, fault, keyframes, killAfterMs, stop, under = [], began }) {
  const env = { ...KEPT_CODE, ...process.env, HOME: home, SEGNO_HOME: home, CHAOS_LOG: log, NO_COLOR: "1" };
  if (keyframes !== undefined) env.SEGNO_KEYFRAMES = String(keyframes);
  delete env.SEGNO_FAULT;
  // Reading certificates would take longer than most drives do.
  delete env.NODE_EXTRA_CA_CERTS;
  if (fault) env.SEGNO_FAULT = fault;
  const [command, ...before] = [...under, process.execPath];
  const child = spawn(command, [...before, MAIN, ...args, "--output-format", "json", "-q"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  began?.(child);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  stop?.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
  let hung = false;
  const guard = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, LONGEST_MS);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((done) => {
    // A script that lives on may hold the pipes open: after the exit, what was printed has so long to arrive.
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      clearTimeout(guard);
      const end = () => done({ code, signal, hung, result: signal ? undefined : parsed(stdout), stderr });
      const waiting = setTimeout(end, signal ? 0 : 2000);
      child.once("close", () => {
        clearTimeout(waiting);
        end();
      });
    });
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
