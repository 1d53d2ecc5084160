// What this machine has to confine commands with: bubblewrap and socat on Linux, the system's own on macOS.
import { spawnSync } from "node:child_process";
import { programOn } from "./search-path.ts";

export interface OsSandbox {
  readonly ready: boolean;
  /** What is there, or what to install. */
  readonly message: string;
}

/** `isolation` is tried out: some containers allow a new network, but not a new process table. */
export function osSandbox(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  isolation: readonly string[] = ["--ro-bind", "/", "/", "--unshare-net"],
): OsSandbox {
  if (platform === "darwin") return { ready: true, message: "macOS confines commands itself" };
  if (platform !== "linux") return { ready: false, message: `nothing confines commands on ${platform}` };
  const path = env.PATH ?? "";
  const bwrap = programOn(path, "bwrap");
  const socat = programOn(path, "socat");
  if (bwrap && socat) return triedOut(bwrap, path, isolation);
  const missing = [...(bwrap ? [] : ["bwrap"]), ...(socat ? [] : ["socat"])];
  const packages = missing.map((program) => (program === "bwrap" ? "bubblewrap" : program));
  return { ready: false, message: `Install ${packages.join(" and ")} (apt install ${packages.join(" ")})` };
}

/** In many containers bwrap is there and may not make namespaces: then every command of an agent would fail. */
function triedOut(bwrap: string, path: string, isolation: readonly string[]): OsSandbox {
  const { status, stderr, error } = spawnSync(bwrap, [...isolation, "true"], {
    env: { PATH: path },
    timeout: TRIAL_MS,
    encoding: "utf8",
  });
  if (status === 0) return { ready: true, message: "bwrap and socat are installed, and bwrap works" };
  const said = stderr?.trim().split("\n")[0] || error?.message || `it ended with ${status}`;
  return { ready: false, message: `bwrap is installed, but may not confine anything here (${said})` };
}

const TRIAL_MS = 5000;
