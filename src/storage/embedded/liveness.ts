// Which process holds something, and whether it is still alive. A pid alone is not enough: the system reuses pids, and
// every PID namespace (a container, say) counts its own.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { system } from "../../steps/process/here.ts";
import { PLATFORM } from "../../steps/process/platform.ts";
import { ignoringErrors } from "../files/guarded.ts";
import type { LeaseHolder, Liveness, ProcessIdentity, ProcessName } from "../liveness.ts";
import type { Connection } from "../sqlite/connection.ts";

/** By the clocks alone something is taken away only when they would have to be wrong by more than this. */
export const LONG_SILENCE_MS = 3_600_000;

export type Observation =
  | { readonly is: "alive" | "dead" }
  /** For so long, in milliseconds, its heartbeat has to stay the same before it counts as dead. */
  | { readonly is: "watched"; readonly leftMs: number };

/**
 * Who lives, as this process can tell. Of a process that it cannot see (another machine, another container) it watches the
 * heartbeat: one that changes is alive, one that stays the same for long enough is dead. The times in it are that machine's,
 * whose clock may be wrong, or ours may: they are never held against each other where something is taken away.
 */
export class Observer {
  readonly #beats = new Map<string, { readonly heard: number; readonly since: number }>();

  /** `elapsed`: milliseconds that no jump of the clock changes. */
  constructor(
    readonly here: ProcessIdentity,
    private readonly now: () => number,
    private readonly elapsed: () => number,
  ) {}

  /** Looks once more; `name` is what the heartbeat is known by. */
  observe(name: string, who: ProcessIdentity, heard: number): Observation {
    if (canBeSeen(who, this.here)) return { is: isRunningHere(who) ? "alive" : "dead" };
    const elapsed = this.elapsed();
    const before = this.#beats.get(name);
    if (!before || before.heard !== heard) this.#beats.set(name, { heard, since: elapsed });
    const leftMs = SILENCE_MS - (elapsed - (before?.heard === heard ? before.since : elapsed));
    return leftMs < 0 ? { is: "dead" } : { is: "watched", leftMs };
  }

  /** The same for a caller that does not wait for heartbeats: a large difference between the clocks also counts. */
  isDead(name: string, who: ProcessIdentity, heard: number): boolean {
    const { is } = this.observe(name, who, heard);
    return is === "dead" || (is === "watched" && Math.abs(this.now() - heard) > LONG_SILENCE_MS);
  }
}

/** For lists, which cannot watch: by the clocks. Nothing is taken away on its word. */
export function seemsAlive(holder: LeaseHolder, now: number, here: ProcessIdentity): boolean {
  if (canBeSeen(holder, here)) return isRunningHere(holder);
  return Math.abs(now - Date.parse(holder.heard)) <= SILENCE_MS;
}

export const ownerOf = (who: ProcessIdentity): ProcessName => JSON.stringify([who.host, who.pid, who.start]);

function identityOf(owner: ProcessName): ProcessIdentity {
  const [host, pid, start] = JSON.parse(owner) as [string, number, string];
  return { host, pid, start };
}

/** Processes that hold something in state.db: slots, claims, running steps. What a dead one held is free again. */
export class Owners implements Liveness {
  #heart: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly observer: Observer,
    private readonly now: () => number,
  ) {}

  self(): ProcessName {
    const owner = ownerOf(this.observer.here);
    if (this.#heart === undefined) {
      this.#beat(owner);
      // The next beat may get through; two may be missed.
      this.#heart = setInterval(() => ignoringErrors(() => this.#beat(owner)), HEARTBEAT_MS).unref();
    }
    return owner;
  }

  #beat(owner: ProcessName): void {
    // Another time than before, also when the clock stands still: others watch whether it changes.
    const now = this.now();
    this.connection
      .prepare("INSERT INTO owners VALUES (?, ?) ON CONFLICT DO UPDATE SET heard = ? + (heard = ?)")
      .run([owner, now, now, now]);
  }

  isAlive(owner: ProcessName): boolean {
    const row = this.connection.prepare<{ heard: number }>("SELECT heard FROM owners WHERE owner = ?").get([owner]);
    return !this.observer.isDead(owner, identityOf(owner), row?.heard ?? 0);
  }

  holderIsAlive(holder: LeaseHolder, now: number = this.now()): boolean {
    return seemsAlive(holder, now, this.observer.here);
  }

  close(): void {
    if (this.#heart === undefined) return;
    clearInterval(this.#heart);
    this.#heart = undefined;
    // A process that has ended is known to be dead without it.
    ignoringErrors(() =>
      this.connection.prepare("DELETE FROM owners WHERE owner = ?").run([ownerOf(this.observer.here)]),
    );
  }
}

/** A process that cannot be seen from here counts as dead when its sign of life has not changed for so long: three beats. */
export const SILENCE_MS = 45_000;
export const HEARTBEAT_MS = 15_000;

/** Linux: boot and clock ticks since. The name in the second field may hold spaces and brackets, hence the last bracket. */
function linuxStart(pid: number | "self"): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie still has its entry, but drives nothing any more.
    return fields[0] === "Z" || fields[0] === "X" ? undefined : `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The PID namespace, as a number; empty where there is no such thing. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

const startedAt = (): number => Math.round(Date.now() - process.uptime() * 1000);

/** `BOOT:TICKS:NAMESPACE` on Linux, milliseconds elsewhere. */
function ownStart(): string {
  const start = linuxStart("self");
  if (start === undefined) return String(startedAt());
  const namespace = pidNamespace();
  return namespace === "" ? start : `${start}:${namespace}`;
}

/** When, without where: all that journals of older versions have. */
const momentOf = (start: string): string => start.split(":", 2).join(":");

/** The boot and the namespace in which a pid means that process; nothing where it is not known. */
function placeOf(start: string): string | undefined {
  const [boot, , namespace] = start.split(":");
  return namespace === undefined ? undefined : `${boot}:${namespace}`;
}

/** Elsewhere asking costs a process, so it is done only about others, once about each, and compared with some slack. */
function sameStart(pid: number, recorded: string): boolean {
  if (PLATFORM === "linux") return linuxStart(pid) === momentOf(recorded);
  if (confirmed.get(pid) === recorded) return true;
  const started = system.startOf(pid) ?? Number.NaN;
  const isSameStart = Number.isNaN(started) || Math.abs(started - Number(recorded)) < 3000;
  if (isSameStart) confirmed.set(pid, recorded);
  return isSameStart;
}

/** Processes that were asked about, with their starts; gone when a process of that number was not there. */
const confirmed = new Map<number, string>();

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= { host: hostname(), pid: process.pid, start: ownStart() };
  return own;
}

let procIsOurs: boolean | undefined;

/** A namespace may have been entered without its own /proc: then that shows other processes under our pids. */
function seesProcesses(): boolean {
  if (PLATFORM !== "linux") return true;
  if (procIsOurs === undefined) {
    try {
      procIsOurs = readlinkSync("/proc/self") === String(process.pid);
    } catch {
      procIsOurs = false;
    }
  }
  return procIsOurs;
}

export const isSame = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.host === other.host && one.pid === other.pid && momentOf(one.start) === momentOf(other.start);

/** Whether `here` can tell by its pid if that process lives. Of another machine or container, also of the same name, only the heartbeat says anything. */
export function canBeSeen(who: ProcessIdentity, here: ProcessIdentity): boolean {
  if (who.host !== here.host) return false;
  if (isSame(who, here)) return true;
  const theirs = placeOf(who.start);
  const ours = placeOf(here.start);
  return seesProcesses() && (theirs === undefined || ours === undefined || theirs === ours);
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, and belongs to another user.
    const exists = (error as NodeJS.ErrnoException).code === "EPERM";
    if (!exists) confirmed.delete(pid);
    return exists;
  }
}

/** Whether a process that can be seen lives. */
export function isRunningHere(who: ProcessIdentity): boolean {
  if (who.pid === process.pid) return momentOf(who.start) === momentOf(thisProcess().start);
  return pidExists(who.pid) && sameStart(who.pid, who.start);
}
