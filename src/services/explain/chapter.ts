// A chapter as it is handed out: loops folded, members counted, troubles with their places.
import type { MemberStatus } from "../../events/visits/visit-record.ts";
import { collapse } from "./collapse.ts";
import type { PinnedDefinition } from "./definition.ts";
import type { DriveStory } from "./drive-story.ts";
import type { Chapter, Members, VisitScene } from "./story.ts";
import { troublesOf } from "./trouble.ts";
import type { VisitInDrive } from "./visit-in-drive.ts";

function* scenesOf(visits: Iterable<VisitInDrive>): Iterable<VisitScene> {
  for (const visit of visits) yield sceneOf(visit);
}

export function chapterOf(story: DriveStory, definition: PinnedDefinition): Chapter {
  const { drive, beganAt, resumed, idleMs, visits, troubled, notes, end } = story;
  return {
    drive,
    began_at: beganAt,
    after: resumed?.after ?? null,
    idle_ms: idleMs,
    file_changed: resumed?.file_changed ?? false,
    inputs_changed: resumed?.inputs_changed ?? [],
    ...(resumed?.from === undefined ? {} : { from: resumed.from }),
    ...(resumed?.force ? { force: true } : {}),
    ...(resumed?.changed_files ? { changed_files: true } : {}),
    scenes: collapse(scenesOf(visits)),
    troubles: troublesOf(troubled, definition, story.lookup),
    notes,
    end,
  };
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
    ...(kind === undefined ? {} : { kind }),
    ...(why === undefined ? {} : { why }),
    ...(answer === undefined ? {} : { answer }),
    ...(visit.requests.length > 0 ? { requests: visit.requests } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(members ? { members: membersOf(members.count, members.states) } : {}),
    ...(visit.changes ? { changes: visit.changes } : {}),
    ...(inner ? { scenes: collapse(scenesOf(inner)) } : {}),
  };
}

const NAMED = 20;

function membersOf(count: number, states: ReadonlyMap<string, MemberStatus>): Members {
  const names = (wanted: MemberStatus): string[] =>
    [...states].filter(([, status]) => status === wanted).map(([name]) => name);
  const failed = names("failed");
  const recovered = names("recovered");
  return {
    count,
    completed: names("completed").length,
    reused: names("reused").length,
    failed: failed.length,
    recovered: recovered.length,
    cancelled: names("cancelled").length,
    failed_names: failed.slice(0, NAMED),
    recovered_names: recovered.slice(0, NAMED),
  };
}
