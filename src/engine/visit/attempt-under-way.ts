// One attempt with all that belongs to it (files, usage), how it ended, and what is recorded of it. Records are made field by
// field on purpose: spreading one object into another costs more than all the rest of a step's event.
import type { EventData, EventType } from "../../base/events/registry.ts";
import type { FileDigest } from "../../base/events/step-files.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import type { Attempt } from "../../steps/step-type.ts";
import type { AttemptAdmission } from "../contract.ts";
import type { NodeEnd } from "../ends.ts";
import type { Engine, Visit, WorkflowFrame } from "../frame.ts";
import type { BreakerStatus } from "../guard/resilience/breaker-state.ts";
import type { PreparedVisit } from "./prepare.ts";
import type { Member } from "./work.ts";

export class AttemptFiles {
  #files: readonly FileDigest[] = [];

  hear(type: EventType, data: unknown): void {
    if (type === "script_started") this.#files = (data as EventData<"script_started">).files ?? [];
    if (type !== "script_completed" && type !== "script_failed") return;
    const { changed_files = [] } = data as EventData<"script_completed" | "script_failed">;
    this.#files = this.#files.filter(({ path }) => !changed_files.includes(path));
  }

  get all(): readonly FileDigest[] {
    return this.#files;
  }
}

/**
 * Files that a recorded attempt ran or named, and that are not as they were. They do not make a step another one: a script
 * often serves many, and finished work must not be repeated by surprise. What is in `files:` does, by the hash.
 */
export const changedFiles = (
  { world, rootDir }: Pick<Engine, "world" | "rootDir">,
  recorded: Pick<Recorded, "files"> | undefined,
): readonly string[] => (recorded?.files ? (world.files?.changed(recorded.files, rootDir) ?? []) : []);

/** The same of a visit that is reused whole: of a container, what was recorded inside it. */
export function changedFilesOf({ frame: { engine }, work, key }: Visit, recorded: Recorded): readonly string[] {
  if (!work.isContainer) return changedFiles(engine, recorded);
  const inside = engine.durable.recall.filesInside(key);
  return [...new Set(changedFiles(engine, { files: inside }))];
}

export class AttemptUsage {
  #calls: EventData<"agent_usage">[] | undefined;

  add(call: EventData<"agent_usage">): void {
    this.#calls ??= [];
    this.#calls.push(call);
  }

  /** Absent when no model was called. */
  get totals(): Omit<EventData<"agent_usage">, "agent_name" | "purpose" | "key"> | undefined {
    const calls = this.#calls;
    if (!calls) return undefined;
    const sum = (
      field: "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens",
    ) => calls.reduce((total, call) => total + (call[field] ?? 0), 0);
    const unpriced = calls.some((call) => call.cost_usd === null || call.cost_usd === undefined);
    const { response_model, provider } = calls.at(-1) ?? {};
    return {
      model: calls.at(-1)?.model ?? calls[0]?.model ?? "",
      ...(response_model === undefined ? {} : { response_model }),
      ...(provider === undefined ? {} : { provider }),
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
      cache_read_tokens: sum("cache_read_tokens"),
      cache_write_tokens: sum("cache_write_tokens"),
      reasoning_tokens: sum("reasoning_tokens"),
      cost_usd: unpriced ? null : calls.reduce((total, call) => total + (call.cost_usd ?? 0), 0),
    };
  }
}

/** Why a step that had ended well in an earlier drive runs again. */
export type RerunReason = NonNullable<EventData<"agent_started">["again"]>;

export interface AttemptUnderWay {
  readonly visit: Visit;
  readonly prepared: PreparedVisit;
  /** Of this visit's attempts, 1 is the first. */
  readonly number: number;
  /** Of all attempts in the run that ended, plus one: an attempt cut off by a crash runs again under the same number. */
  readonly ordinal: number;
  /** What earlier drives recorded of this visit, when it may be reused. */
  readonly recorded: Recorded | undefined;
  /** The step, or a file that it runs, was changed since its last attempt in an earlier drive. */
  readonly isRepaired: boolean;
  readonly rerun: RerunReason | undefined;
  readonly usage: AttemptUsage;
  readonly files: AttemptFiles;
  /** Absent when the run has no resilience and no policies. */
  readonly admission: AttemptAdmission | undefined;
}

export interface AttemptEnd {
  readonly end: NodeEnd;
  readonly endedAt: number;
  readonly dice: number;
  /** The status of the breaker of what was called, if there is one. */
  readonly breaker?: BreakerStatus;
}

export type Identity = Omit<EventData<"agent_reused">, "hash">;

export const attemptIdentity = ({ work, key, member }: Visit, attempt: number): Identity =>
  inGroup<Identity>({ agent_name: work.name, agent_type: work.type, key, attempt }, member);

export function startedData({ visit, number, rerun }: AttemptUnderWay): EventData<"agent_started"> {
  const { frame, work, key, member } = visit;
  const data: EventData<"agent_started"> = {
    agent_name: work.name,
    agent_type: work.type,
    key,
    attempt: number,
    iteration: frame.context.executions,
  };
  if (rerun !== undefined) data.again = rerun;
  return inGroup(data, member);
}

/** Of a container only what templates read of it is the output: what is inside has its own entries. */
export function completedData(
  { visit, prepared, number: attempt, isRepaired }: AttemptUnderWay,
  elapsed: number,
  output: unknown,
): EventData<"agent_completed"> {
  const { frame, work, key, member } = visit;
  const { name: agent_name, type: agent_type } = work;
  const data: EventData<"agent_completed"> = prepared.ok
    ? { agent_name, agent_type, key, attempt, elapsed, hash: prepared.hash, output }
    : { agent_name, agent_type, key, attempt, elapsed, output };
  const definition = frame.definitions.recordOnce(agent_name, prepared.definition);
  if (definition !== undefined) data.definition = definition;
  if (isRepaired) data.repaired = true;
  return inGroup(data, member);
}

type OfMembers = { [Type in EventType]: "item_key" extends keyof EventData<Type> ? Type : never }[EventType];

/** Reports what happened on a visit, with the member that it is about. */
export const noteFor = <Type extends OfMembers>(
  { frame, member }: Pick<Visit, "frame" | "member">,
  type: Type,
  data: EventData<Type>,
): void => frame.engine.durable.note(frame.path, type, inGroup(data as Partial<Member>, member) as EventData<Type>);

/** What a process or a request that belongs to no step is made with: a hook's, an escalation's. What it says is in its event. */
export const attemptBeside = (
  { path, place: workflow, engine }: WorkflowFrame,
  own: Pick<Attempt, "node" | "key" | "idempotencyKey" | "signal">,
): Attempt => ({
  ...own,
  attempt: 1,
  path,
  workflow,
  clock: engine.clock,
  spillDir: engine.spillDir,
  world: engine.world,
  assertLease: engine.durable.assertLease,
  emit: () => {},
});

/** Names the member that an event is about, if it is one. */
export function inGroup<Data extends { group?: string; item_key?: string }>(
  data: Data,
  member: Member | undefined,
): Data {
  if (!member) return data;
  data.group = member.group;
  if (member.item_key !== undefined) data.item_key = member.item_key;
  return data;
}
