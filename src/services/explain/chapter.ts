// A chapter as it is handed out: steps that follow one another again and again folded into one scene, members counted,
// troubles with their places.
import type { MemberStatus } from "../../base/events/visits/visit-record.ts";
import type { PinnedDefinition } from "../reading/definition.ts";
import type { DriveStory } from "./drive-story.ts";
import type { Chapter, Loop, Members, Scene, VisitScene } from "./story.ts";
import { troublesOf } from "./trouble.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

export function chapterOf(story: DriveStory, definition: PinnedDefinition): Chapter {
  const { drive, beganAt, resumed, idleMs, visits, troubled, notes, end } = story;
  return {
    drive,
    began_at: beganAt,
    after: resumed?.after ?? null,
    idle_ms: idleMs,
    file_changed: resumed?.file_changed ?? false,
    inputs_changed: resumed?.inputs_changed ?? [],
    from: resumed?.from,
    force: resumed?.force,
    changed_files: resumed?.changed_files,
    scenes: collapse(scenesOf(visits)),
    troubles: troublesOf(troubled, definition, story.lookup),
    notes,
    end,
  };
}

function* scenesOf(visits: Iterable<VisitInDrive>): Iterable<VisitScene> {
  for (const visit of visits) yield sceneOf(visit);
}

function sceneOf(visit: VisitInDrive): VisitScene {
  const { node, type, status, attempts, elapsedMs, errors, why, answer, reason, members, inner } = visit;
  const kind = errors.at(-1)?.kind ?? visit.reusedKind;
  return {
    node_id: node,
    type,
    status,
    attempts,
    duration_ms: Math.round(elapsedMs),
    kind,
    why,
    answer,
    requests: visit.requests.length > 0 ? visit.requests : undefined,
    reason,
    members: members && membersOf(members.count, members.states),
    changes: visit.changes,
    scenes: inner && collapse(scenesOf(inner)),
  };
}

const NAMED = 20;

function membersOf(count: number, states: ReadonlyMap<string, MemberStatus>): Members {
  const names = (wanted: MemberStatus): string[] =>
    [...states].filter(([, status]) => status === wanted).map(([name]) => name);
  const [completed, reused, cancelled] = [names("completed").length, names("reused").length, names("cancelled").length];
  const [failed, recovered] = [names("failed"), names("recovered")];
  return {
    count,
    completed,
    reused,
    failed: failed.length,
    recovered: recovered.length,
    cancelled,
    failed_names: failed.slice(0, NAMED),
    recovered_names: recovered.slice(0, NAMED),
  };
}

const LONGEST_ROUND = 8;

/** Whether two visits read the same. What an agent asked, and who allowed it, is shown each time. */
const isAlike = (a: VisitScene, b: VisitScene): boolean =>
  a.node_id === b.node_id &&
  a.status === b.status &&
  a.kind === b.kind &&
  a.why === b.why &&
  !a.requests &&
  !b.requests;

/** The scenes with rounds folded; from left to right, the shortest round first. Of many visits only a few are held at a time. */
export function collapse(visits: Iterable<VisitScene>): readonly Scene[] {
  const scenes: Scene[] = [];
  const ahead = new Ahead(visits);
  for (;;) {
    const next = ahead.upTo(2 * LONGEST_ROUND);
    if (next.length === 0) return scenes;
    const length = roundIn(next);
    scenes.push(...(length === 0 ? ahead.take(1) : [loopOf(length, ahead)]));
  }
}

/** The rounds that come next, as long as they are alike. */
function loopOf(length: number, ahead: Ahead): Loop {
  const first = ahead.take(length);
  const took = first.map(({ duration_ms }) => duration_ms);
  let [last, times] = [first, 1];
  while (isRound(first, ahead.upTo(length))) {
    last = ahead.take(length);
    times++;
    for (const [index, { duration_ms }] of last.entries()) took[index]! += duration_ms;
  }
  // What a step took over all rounds.
  return { times, scenes: last.map((visit, index) => ({ ...visit, duration_ms: took[index]! })) };
}

const isRound = (first: readonly VisitScene[], next: readonly VisitScene[]): boolean =>
  next.length >= first.length && first.every((visit, index) => isAlike(visit, next[index]!));

/** The length of the shortest round that is there twice; 0 when there is none. */
function roundIn(next: readonly VisitScene[]): number {
  for (let length = 1; length <= LONGEST_ROUND; length++)
    if (isRound(next.slice(0, length), next.slice(length)) && next.length >= 2 * length) return length;
  return 0;
}

/** Visits that are looked at before they are taken. */
class Ahead {
  readonly #source: Iterator<VisitScene>;
  readonly #seen: VisitScene[] = [];

  constructor(visits: Iterable<VisitScene>) {
    this.#source = visits[Symbol.iterator]();
  }

  /** So many, or as many as are left. */
  upTo(count: number): readonly VisitScene[] {
    while (this.#seen.length < count) {
      const { done, value } = this.#source.next();
      if (done) break;
      this.#seen.push(value);
    }
    return this.#seen;
  }

  take(count: number): readonly VisitScene[] {
    return this.#seen.splice(0, count);
  }
}
