// What an operating system does in its own way: starting and ending processes, naming them, and what is private. There is a
// side for POSIX and one for Windows; `here.ts` chooses.
import type { SpawnOptions } from "node:child_process";
import type { Stats } from "node:fs";

export interface ProcessEntry {
  readonly pid: number;
  /** On Windows it stays when the parent is gone, and its number may be another process's by then. */
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Names this process even when its pid is used again: the boot and the moment it began. */
  readonly identity: string;
  /** Comparable within one boot; not a number where it cannot be known. */
  readonly began: number;
  /** Dead, and waiting for a parent that does not look. Nothing is left to end. */
  readonly zombie: boolean;
}

/** For systems that give a process's start in whole seconds: the time recorded for it is not quite the kernel's. */
export const CLOCK_SLACK_MS = 5000;

export type ProcessTable = ReadonlyMap<number, ProcessEntry>;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

export interface CommandShim {
  files(command: string, program: string): Readonly<Record<string, string>>;
  /** Source of the arguments for `spawnSync`. */
  readonly real: string;
}

export interface System {
  /** Throws an error with a `code` when the command cannot be started here. */
  launch(command: Command): Launch;
  /** Everything that runs; undefined where that cannot be seen. */
  processes(): ProcessTable | Promise<ProcessTable | undefined>;
  identityOf(pid: number): string;
  /** The program that a process runs, without its folder and arguments; undefined where that cannot be known. */
  nameOf(pid: number): string | undefined;
  /** Other processes that have these pipes open, given as descriptors of this one; undefined where that cannot be seen. */
  holdersOf(files: readonly number[]): readonly number[] | undefined;
  isSameProcess(entry: ProcessEntry, identity: string): boolean;
  isFromThisBoot(identity: string): boolean;
  /** The earliest that the process of that identity began, comparable with `ProcessEntry.began`. */
  beganAt(identity: string): number;
  /** What each process was started with, `NAME=value` each; nothing where that cannot be seen. */
  environments(): readonly (readonly string[])[];
  environmentOf(pid: number): readonly string[];
  /** Whether a process can be asked to end before it is made to, and how long to go on making it. */
  readonly canAsk: boolean;
  readonly killMs: number;
  signal(group: number, entries: readonly ProcessEntry[], name: NodeJS.Signals): void;
  /** To these and what they began, without waiting or looking: on the way out, or where nothing can be seen. */
  signalTrees(pids: readonly number[], name: NodeJS.Signals): void;
  /** Has a process that drives runs look for its notes. */
  interrupt(pid: number): void;
  /** Whether it hears of that, or has to look by itself. */
  readonly hasSignals: boolean;
  /** Whether a process lives and hears nothing (SIGSTOP, Ctrl-Z). */
  isStopped(pid: number): boolean;
  /** When a process began, in milliseconds and to a few seconds; undefined where that cannot be known. */
  startOf(pid: number): number | undefined;
  /** Whether a folder can be written to the disk by itself. */
  readonly syncsFolders: boolean;
  /** A program of Node's that stands in for a command: its files, and how its text starts `command` with `args`. */
  readonly shim: CommandShim;
  opener(url: string): readonly [command: string, ...args: string[]];
  /** Whether a temporary folder was made by this user, and is entered by no one else. */
  isOwnFolder(stats: Stats): boolean;
  /** Whether no one else can exchange a folder of ours in this one for a link. */
  keepsOthersOut(stats: Stats): boolean;
}
