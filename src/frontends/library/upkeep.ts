// A new project, the fitness of this machine, and repairs.

import type { RepairAnswer, RepairSettings } from "../../features/history/repair/repair.ts";
import type { RepairAllAnswer } from "../../features/history/repair/repair-all.ts";
import type { DoctorAnswer } from "../../services/doctor/index.ts";
import type { InitAnswer } from "../../services/workflows/init.ts";
import type { DriveOptions, StoreOptions } from "./options.ts";
import { allOf, DRIVING, drivingOf, givenOf, STANDING, standingOf } from "./services-of.ts";
import { checkCall, checkGiven } from "./wrong-call.ts";

export type { DoctorAnswer, InitAnswer, RepairAllAnswer, RepairAnswer };

export interface DoctorOptions extends StoreOptions {
  /** A workflow file whose providers and MCP servers are looked at too. */
  readonly file?: string;
  /** Start the file's MCP servers, which runs what it names, and ask each for its tools. */
  readonly start?: boolean;
  /** Make the index of runs anew first. */
  readonly reindex?: boolean;
}

/**
 * Says whether this machine, its store, its keys and the MCP servers of a file are fit to run workflows.
 *
 * @example
 * const { success, checks } = await doctor({ file: "release.yaml" });
 * if (!success) for (const { ok, name, message } of checks) if (!ok) console.error(name, message);
 *
 * @deprecated Use `segno.doctor` of a client, which `createSegno` makes.
 */
export async function doctor(options: DoctorOptions = {}): Promise<DoctorAnswer> {
  await checkGiven("doctor", options, [...STANDING, "file", "start", "reindex"]);
  const { doctor: look } = await import("../../services/doctor/index.ts");
  return look(standingOf(options), givenOf(options, ["file", "start", "reindex"]));
}

/**
 * Writes a first workflow with an error route, and a scenario that takes it, into a folder.
 *
 * @example
 * const { files } = await init("my-flow");
 *
 * @deprecated Use `segno.init` of a client, which `createSegno` makes.
 */
export async function init(folder: string, options: Pick<StoreOptions, "cwd"> = {}): Promise<InitAnswer> {
  await checkCall("init", ["the path of a folder", folder], options, ["cwd"]);
  const { initProject } = await import("../../services/workflows/init.ts");
  return initProject(standingOf(options), { dir: folder });
}

const REPAIRING = allOf<RepairSettings>()(["yes", "attempts", "provider", "model"]);

export interface RepairOptions extends DriveOptions, RepairSettings {}

/**
 * Lets a model propose a change of the failing step, holds it against the rules, asks with `ask`, writes it with a
 * backup, and resumes.
 *
 * @example
 * const { success, repair: report } = await repair("01J…", { yes: true });
 * if (!success) console.error(report?.reason);
 *
 * @deprecated Use `segno.runs.repair` of a client, which `createSegno` makes.
 */
export async function repair(run: string, options: RepairOptions = {}): Promise<RepairAnswer> {
  await checkCall("repair", ["the id of a run", run], options, [...DRIVING, ...REPAIRING]);
  const { repairRun } = await import("../../features/history/repair/repair.ts");
  const { session, listeners } = await drivingOf(options);
  return repairRun(session, { run, ...givenOf(options, REPAIRING) }, listeners);
}

export interface RepairAllOptions extends RepairOptions {
  /** Repairs the runs and resumes them; without it they are only listed. */
  readonly resume?: boolean;
}

/** The same for every open run of the project that failed with a kind; `*` stands for any text in it. */
export async function repairAll(kind: string, options: RepairAllOptions = {}): Promise<RepairAllAnswer> {
  await checkCall("repairAll", ["a kind of error", kind], options, [...DRIVING, ...REPAIRING, "resume"]);
  const { repairAll: repairKind } = await import("../../features/history/repair/repair-all.ts");
  const { session, listeners } = await drivingOf(options);
  return repairKind(session, { kind, ...givenOf(options, [...REPAIRING, "resume"]) }, listeners);
}
