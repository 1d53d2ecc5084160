// A new project, the fitness of this machine, and repairs.
import type { Head, Result, ResultStatus } from "../results/result.ts";
import { calledAs } from "./called-as.ts";
import { DRIVING, drivingOf } from "./driving.ts";
import type { StoreOptions } from "./options.ts";
import type { DriveOptions } from "./run-options.ts";
import { given, STANDING, standingOf } from "./standing.ts";
import { checkGiven, checkText } from "./wrong-call.ts";

export interface DoctorOptions extends StoreOptions {
  /** A workflow file whose providers and MCP servers are looked at too. */
  readonly file?: string;
  /** Start the file's MCP servers, which runs what it names, and ask each for its tools. */
  readonly start?: boolean;
  /** Make the index of runs anew first. */
  readonly reindex?: boolean;
}

export interface DoctorAnswer extends Head {
  readonly checks: readonly {
    readonly name: string;
    /** False when something is broken: it would keep runs from working. */
    readonly ok: boolean;
    readonly message: string;
    /** False: it could not be used, and nothing that was asked about needs it. */
    readonly ready?: boolean;
  }[];
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
  const { doctor: look } = await import("../services/doctor/index.ts");
  const { file, start, reindex } = options;
  return look(standingOf(options), given({ file, start, reindex }));
}

export interface InitAnswer extends Head {
  /** What was written. */
  readonly files: readonly string[];
  /** What was there before, and was left as it is. */
  readonly kept: readonly string[];
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
  checkText(calledAs(options, "init"), "the path of a folder", folder);
  await checkGiven("init", options, ["cwd"]);
  const { initProject } = await import("../services/workflows/init.ts");
  return initProject(standingOf(options), { dir: folder });
}

export interface RepairOptions extends DriveOptions {
  /** Repairs without asking; then only templates of the failing step may change. */
  readonly yes?: boolean;
  /** How often the model is asked; 3 when left out. */
  readonly attempts?: number;
  readonly provider?: string;
  readonly model?: string;
}

interface Repair {
  readonly fixed: boolean;
  /** Why it stopped, when it did not fix the run. */
  readonly reason: string | null;
  readonly attempts: readonly {
    readonly node_id: string | null;
    readonly kind: string | null;
    readonly verdict: "written" | "refused" | "declined" | "no_answer";
    readonly reason: string | null;
    readonly explanation?: string;
    readonly file?: string;
    readonly diff?: string;
    /** What was checked before the change was offered, and the command that checks it again. */
    readonly proof?: readonly {
      readonly check: "file" | "errors" | "failure" | "scenarios" | "backtest";
      readonly holds: boolean;
      readonly said: string;
      readonly command: string;
    }[];
  }[];
  readonly backups: readonly string[];
}

export interface RepairAnswer extends Result {
  readonly repair?: Repair;
}

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
  checkText(calledAs(options, "repair"), "the id of a run", run);
  await checkGiven("repair", options, [...DRIVING, "yes", "attempts", "provider", "model"]);
  const { repairRun } = await import("../services/repair/repair.ts");
  const { yes, attempts, provider, model, ...rest } = options;
  const { session, asked } = await drivingOf(rest);
  return repairRun(session, { ...asked, run, ...given({ yes, attempts, provider, model }) });
}

export interface RepairAllOptions extends RepairOptions {
  /** Repairs the runs and resumes them; without it they are only listed. */
  readonly resume?: boolean;
}

export interface RepairAllAnswer extends Head {
  readonly runs: readonly {
    readonly run_id: string;
    readonly file: string;
    /** The step that a change would be made to; null: the workflow's own `output`, or it is not known. */
    readonly node_id: string | null;
    readonly kind: string | null;
    readonly outcome: "open" | "resumed" | "not_resumed";
    readonly status: ResultStatus;
    /** Why it cannot be repaired, or was not resumed. */
    readonly reason: string | null;
  }[];
  /** One for each step that failed. */
  readonly repairs: readonly (Repair & { readonly run_id: string })[];
}

/** The same for every open run of the project that failed with a kind; `*` stands for any text in it. */
export async function repairAll(kind: string, options: RepairAllOptions = {}): Promise<RepairAllAnswer> {
  checkText(calledAs(options, "repairAll"), "a kind of error", kind);
  await checkGiven("repairAll", options, [...DRIVING, "yes", "attempts", "provider", "model", "resume"]);
  const { repairAll: repairKind } = await import("../services/repair/repair-all.ts");
  const { yes, attempts, provider, model, resume, ...rest } = options;
  const { session, asked } = await drivingOf(rest);
  return repairKind(session, { ...asked, kind, ...given({ yes, attempts, provider, model, resume }) });
}
