// The agents' packages: optional peers that the user installs, in the project or beside Segno. Looked for below the
// workflow's folder, never in the folder that an agent works in: a repository could bring a package of that name.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { ProviderFailure } from "../../providers/failure.ts";
import { installedFolder, loadPackage } from "../../providers/load-package.ts";
import type { Machine } from "./agent.ts";

export interface Peer {
  readonly package: string;
  readonly title: string;
  readonly programVariable?: string;
}

/** What the user installs for agents that work in a folder, by provider. */
export const PEERS = {
  "claude-agent-sdk": { package: "@anthropic-ai/claude-agent-sdk", title: "the Claude Agent SDK" },
  codex: { package: "@openai/codex", title: "Codex" },
  copilot: { package: "@github/copilot-sdk", title: "the GitHub Copilot SDK", programVariable: "COPILOT_CLI_PATH" },
} as const satisfies Readonly<Record<string, Peer>>;

export const installLine = ({ package: name }: Peer): string => `npm install ${name}`;

export function peerFolder({ package: name }: Pick<Peer, "package">, project: string): string | undefined {
  for (let at = project; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(at) === at) return installedFolder(name);
  }
}

export async function loadPeer(peer: Peer, project: string): Promise<unknown> {
  const folder = peerFolder(peer, project);
  try {
    return await loadPackage(folder ? pathToFileURL(join(folder, entryOf(folder))).href : peer.package);
  } catch (error) {
    throw missingPeer(peer, (error as { code?: string }).code ?? String(error));
  }
}

export const missingPeer = (peer: Peer, why: string): ProviderFailure =>
  new ProviderFailure(
    "unready",
    `${peer.title} is not installed or cannot be loaded (${why}). Install it with "${installLine(peer)}" in your project or beside Segno, or choose another provider`,
  );

function entryOf(folder: string): string {
  const manifest = parseJson(readFileSync(join(folder, "package.json"), "utf8"));
  if (!isMapping(manifest)) return "index.js";
  const root = isMapping(manifest.exports) ? (manifest.exports["."] ?? manifest.exports) : manifest.exports;
  return importTarget(root) ?? (typeof manifest.main === "string" ? manifest.main : "index.js");
}

/** What `import` of the package means, through conditions inside conditions. */
function importTarget(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isMapping(target)) return undefined;
  return importTarget(target.import) ?? importTarget(target.node) ?? importTarget(target.default);
}

// An agent's program comes in a package of its own, one for each kind of machine, which npm leaves out without a word
// where there is none or where optional packages are not wanted.

export function hasProgram(peer: Peer, project: string, { platform, arch }: Machine): boolean {
  const folder = peerFolder(peer, project);
  if (!folder) return false;
  const name = new RegExp(`^${basename(peer.package)}-${platform}(?:musl)?-${arch}(?:-musl)?$`);
  const lookedIn = createRequire(join(realpathSync(folder), "package.json")).resolve.paths(peer.package) ?? [];
  return lookedIn.some((modules) => namesIn(join(modules, dirname(peer.package))).some((one) => name.test(one)));
}

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
