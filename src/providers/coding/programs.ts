// An agent's program comes in a package of its own, one for each kind of machine, which npm leaves out without a word
// where there is none or where optional packages are not wanted.
import { readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { ProviderFailure } from "../failure.ts";
import { installLine, type Peer, peerFolder } from "./packages.ts";
import type { Machine } from "./processes.ts";

/** Whether there is a program for this machine where an installed package looks for it. */
export function hasProgram(peer: Peer, project: string, { platform, arch }: Machine): boolean {
  const folder = peerFolder(peer, project);
  if (!folder) return false;
  const name = new RegExp(`^${basename(peer.package)}-${platform}(?:musl)?-${arch}(?:-musl)?$`);
  const lookedIn = createRequire(join(realpathSync(folder), "package.json")).resolve.paths(peer.package) ?? [];
  return lookedIn.some((modules) => namesIn(join(modules, dirname(peer.package))).some((one) => name.test(one)));
}

/** What is wrong and what to do, for a package that is installed without its program. */
export const withoutProgram = (peer: Peer, { platform, arch }: Machine): string =>
  `${peer.package} is installed, but has no program for ${platform} on ${arch}. ${peer.programVariable ? `Let ${peer.programVariable} name one, or install` : "Install"} it again with optional packages ("${installLine(peer)} --include=optional")`;

export const missingProgram = (peer: Peer, machine: Machine): ProviderFailure =>
  new ProviderFailure("unready", `${withoutProgram(peer, machine)}, or choose another provider`);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
