// `segno doctor`: whether this machine, its store, its keys and the MCP servers of a file are fit to run workflows.
import { dirname, resolve } from "node:path";
import { createRedactor, secretsFromEnvironment } from "../../base/redact/index.ts";
import { COMMAND_LINE, type Head, head, type Reader } from "../../base/results/index.ts";
import { familyOf } from "../../language/loaded.ts";
import { removeWhatAgentsLeft } from "../../steps/outside.ts";
import { ARCHITECTURE, PLATFORM } from "../../steps/process/platform.ts";
import type { StoreCensus, StoreCheck, StoreUpkeep } from "../../storage/store.ts";
import { filePrices } from "../drive/real-world.ts";
import { recordedEnd } from "../reading/report.ts";
import { KEPT_RUNS } from "../runs/prune.ts";
import type { Session } from "../session/session.ts";
import { fleetOf, storeFor } from "../session/store.ts";
import {
  broken,
  type Check,
  checkFleet,
  checkServers,
  good,
  loadForDoctor,
  notReady,
  problemText,
  providersOf,
} from "./checks.ts";

export type { Check } from "./checks.ts";

export interface DoctorAnswer extends Head {
  readonly checks: readonly Check[];
}

export interface DoctorRequest {
  /** A workflow file whose providers and MCP servers are looked at too. */
  readonly file?: string;
  /** Why a plugin of the project could not be loaded, when it could not. */
  readonly brokenPlugin?: string;
  /** Also start the file's MCP servers, and ask each for its tools: that runs what the file names. */
  readonly start?: boolean;
  /** Called with what is about to be started. */
  readonly starting?: (text: string) => void;
  /** Make the index of runs anew first. */
  readonly reindex?: boolean;
}

export async function doctor(session: Session, request: DoctorRequest): Promise<DoctorAnswer> {
  const { file, brokenPlugin } = request;
  // Files that a killed agent's sandbox left behind are a common reason to run the doctor.
  await removeWhatAgentsLeft();
  const redactor = createRedactor({ secrets: secretsFromEnvironment(session.env) });
  const starting = (text: string): void => request.starting?.(redactor.text(text));
  // The folder of a home is this machine's; a fleet has checks of its own.
  const upkeep = fleetOf(session) === undefined ? await (await storeFor(session)).upkeep?.() : undefined;
  const rebuilt = request.reindex && upkeep ? [await rebuild(upkeep, session)] : [];
  const loaded = file === undefined ? undefined : loadForDoctor(file, session);
  const family = loaded?.workflow ? familyOf(loaded.workflow) : [];
  const checks = [
    checkNode(process.version, PLATFORM, ARCHITECTURE),
    checkPlatform(PLATFORM, ARCHITECTURE),
    ...(brokenPlugin === undefined ? [] : [broken("project.plugins", brokenPlugin)]),
    ...rebuilt,
    ...(upkeep ? checkStore(upkeep, Date.now(), session.reader) : await checkFleet(session)),
    ...(loaded ? [loaded.check] : []),
    ...(await checkProviders(
      providersOf(family),
      session.env,
      file === undefined ? session.cwd : dirname(resolve(session.cwd, file)),
    )),
    await checkSandbox(session.env),
    await checkPrices(session),
    ...(await checkServers(family, session, { start: request.start, starting })),
  ];
  const shown = checks.map((check) => ({ ...check, message: redactor.text(check.message) }));
  const faults = shown.filter(({ ok }) => !ok).map(({ name }) => name);
  if (faults.length === 0) return { ...head(0), checks: shown };
  const error = `${faults.length} of ${shown.length} checks failed: ${faults.join(", ")}`;
  return { ...head(1), error, checks: shown };
}

async function rebuild(upkeep: StoreUpkeep, session: Session): Promise<Check> {
  const name = "store.reindex";
  try {
    const { indexed, removed, unreadable, movedTo } = await upkeep.reindex(async (reader) => {
      const { workflow: _, seq: _seq, facts, ...end } = await recordedEnd(reader, session);
      return { ...end, ...facts };
    });
    const parts = [
      `${indexed.length} runs are in the index again`,
      ...(removed.length > 0 ? [`${removed.length} without a journal were taken out`] : []),
      ...(movedTo === undefined ? [] : [`the damaged state.db is now ${movedTo}; its dead letters are still in it`]),
      ...unreadable.map(({ runId, message }) => `${runId} cannot be read: ${message}`),
    ];
    return { name, ok: unreadable.length === 0, message: parts.join("; ") };
  } catch (problem) {
    return broken(name, problemText(problem));
  }
}

/** A provider without a key is broken only when a file that was named needs it. */
async function checkProviders(
  needed: ReturnType<typeof providersOf>,
  env: Session["env"],
  project: string,
): Promise<readonly Check[]> {
  const place = { env, project, machine: { platform: PLATFORM, arch: ARCHITECTURE } };
  const { CHECKED_PROVIDERS, readinessOf } = await import("../../providers/readiness.ts");
  const canonical = new Set<string>();
  const checks: Check[] = [];
  for (const [asked, settings] of needed) {
    const { provider, ready, message } = readinessOf(asked, settings, place);
    canonical.add(provider);
    const name = `provider.${provider}`;
    checks.push(ready ? good(name, message) : broken(name, `${message}; agents of this file ask it`));
  }
  for (const name of CHECKED_PROVIDERS) {
    if (canonical.has(name)) continue;
    const { message, ready } = readinessOf(name, {}, place);
    checks.push({ name: `provider.${name}`, ok: true, message, ready });
  }
  return checks;
}

export function checkNode(version: string, platform: string, arch: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  // Older Nodes have no SQLite of their own, and there is no other for Windows on Arm.
  const isWindowsOnArm = platform === "win32" && arch === "arm64";
  const oldest = isWindowsOnArm ? ([22, 13] as const) : ([20, 19] as const);
  const [oldMajor, oldMinor] = oldest;
  const where = isWindowsOnArm ? " on Windows on Arm" : "";
  return major > oldMajor || (major === oldMajor && minor >= oldMinor)
    ? good("node", version)
    : broken("node", `${version} is too old. Segno needs ${oldest.join(".")} or newer${where}.`);
}

const TESTED: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS" };

export const checkPlatform = (platform: string, arch: string): Check => {
  const tested = TESTED[platform];
  if (tested) return good("platform", `${tested}, ${arch}`);
  if (platform === "win32")
    return good("platform", `Windows, ${arch}: tested under Wine 10 with Node 22, not yet on a real Windows.`);
  return good("platform", `${platform}, ${arch}: not tested. Segno is tried on Linux and macOS.`);
};

// What agents that work in a folder find here: something to confine their commands with, and prices for what they use.

/** Nothing is broken without one: agents then edit, and run no commands. */
async function checkSandbox(env: Session["env"]): Promise<Check> {
  const { osSandbox } = await import("../../features/coding-agents/environment.ts");
  const { ready, message } = osSandbox(env, PLATFORM);
  if (ready) return good("sandbox", message);
  return notReady("sandbox", `${message}: until then Claude runs no commands under sandbox: workspace`);
}

async function checkPrices(session: Session): Promise<Check> {
  try {
    const own = filePrices(session);
    const { asOf, models } = own ?? (await import("../../providers/prices.ts")).BUILT_IN_PRICES;
    const count = models.size === 1 ? "1 model" : `${models.size} models`;
    return good("prices", `of ${asOf}, ${count}, ${own ? `from ${own.file}` : "built in"}`);
  } catch (problem) {
    return broken("prices", problemText(problem));
  }
}

/** The store: whether it works, what it holds, whether an older Segno wrote it, and how to make room. */
export function checkStore(upkeep: StoreUpkeep, now: number, reader: Reader = COMMAND_LINE): readonly Check[] {
  const checks = upkeep.check(now).map((check) => withRemedy(check, reader));
  try {
    const census = upkeep.census();
    return [...checks, sizeCheck(census, reader), formatCheck(census)];
  } catch (problem) {
    return [...checks, broken("store.size", problemText(problem))];
  }
}

function withRemedy({ name, ok, message, remedy }: StoreCheck, reader: Reader): Check {
  const command = remedy && reader.ask({ to: remedy });
  const does = remedy === "prune" ? `${command} removes old runs.` : `To make it anew from the folders: ${command}`;
  return { name: `store.${name}`, ok, message: command ? `${message}. ${does}` : message };
}

const megabytes = (bytes: number): string =>
  bytes < 1024 * 1024 ? "less than 1 MB" : `${Math.round(bytes / 1024 / 1024)} MB`;

function sizeCheck({ runs, bytes }: StoreCensus, reader: Reader): Check {
  const size = bytes === null ? "too many files to count" : megabytes(bytes);
  const command = reader.ask({ to: "prune" });
  const prune = `${command} keeps the newest ${KEPT_RUNS} of each workflow; ${reader.give({ what: "option", name: "keep" })} N keeps another number`;
  return good("store.size", `${runs} ${runs === 1 ? "run" : "runs"}, ${size}.${command === null ? "" : ` ${prune}.`}`);
}

function formatCheck({ older, formats }: StoreCensus): Check {
  const now = `format ${formats.state} of state.db, ${formats.journal} of journals`;
  if (older.length === 0) return good("store.format", `${now}; nothing waits for a migration`);
  const [first] = older;
  const which = older.length === 1 ? `${first} was` : `${older.length} files were`;
  return good("store.format", `${now}; ${which} written by an older Segno and will be migrated when next opened`);
}
