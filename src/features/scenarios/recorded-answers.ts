// What a run's journal knows of the outside: what each attempt of a step was answered, and what people said. The last word
// of every visit counts: what a resume ran again stands in the place of what it had come to before.
import type { AgentChanges, Envelope } from "../../base/errors/index.ts";
import { isContainer } from "../../base/events/node-types.ts";
import type { EventData, RunEvent } from "../../base/events/registry.ts";
import type { PolicyResult } from "../../engine/guard/resilience/policy.ts";
import { type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import type { PolicyEntry } from "../../language/schema/resilience.ts";
import { eachEvent } from "../../services/reading/read-run.ts";
import { childAt } from "../../services/reading/report.ts";
import type { ModelUsage } from "../../steps/world.ts";
import type { RunReader } from "../../storage/run-reader.ts";
import { CutOff, lastRoundFirst, PlayedRounds } from "./one-drive.ts";

export interface RecordedAttempt {
  readonly node: string;
  readonly path: readonly string[];
  readonly key: string;
  readonly type: string;
  readonly number: number;
  readonly seconds: number;
  readonly output?: unknown;
  readonly error?: Envelope;
  /** The error was made of the output by the step's own `raise_when`. */
  readonly isByRule: boolean;
  readonly changes?: AgentChanges;
  readonly usage: ModelUsage;
  /** It was stopped from outside: how it would have ended is not known. */
  readonly isStopped?: true;
}

export type RecordedReply = {
  readonly node: string;
  readonly key: string;
  /** Seconds from the question to the answer. */
  readonly seconds: number;
  readonly by: string;
  readonly person?: string;
} & (
  | { readonly kind: "gate"; readonly value: string; readonly additional_input: Readonly<Record<string, string>> }
  | {
      readonly kind: "questions";
      readonly outcome: string;
      readonly answers: readonly { readonly id: string; readonly answer: unknown; readonly source: string }[];
    }
);

/** What the policies said of an attempt. */
export interface RecordedVerdicts {
  readonly number: number;
  /** The callers' policies first; with the module, or the plugin's policy, that the file names. */
  readonly verdicts: readonly NamedVerdict[];
}

export type NamedVerdict = PolicyResult & Pick<PolicyEntry, "module" | "policy">;

export interface RecordedAnswers {
  /** By the key of the visit, in the order of its attempts. */
  readonly attempts: ReadonlyMap<string, readonly RecordedAttempt[]>;
  /** By the key of the visit, in the order of its attempts. Runs of 0.3 have none. */
  readonly verdicts: ReadonlyMap<string, readonly RecordedVerdicts[]>;
  readonly replies: ReadonlyMap<string, RecordedReply>;
  /** The last attempt of each visit that was stopped from outside, as by a member that failed beside it. */
  readonly stopped: ReadonlyMap<string, RecordedAttempt>;
}

type Answers = RecordedAnswers & { readonly placeOf: (key: string) => string };

/** What earlier drives of a run were answered and a further one does not ask again. */
export interface AnsweredBefore {
  readonly attempts: readonly Pick<RecordedAttempt, "node" | "path" | "number">[];
  /** Keys of gates. */
  readonly gates: readonly string[];
  /** Keys of attempts that policies were asked about. */
  readonly policies: readonly string[];
}

/** Without the attempts at a visit that failed and that no route took: a resume begins it anew. */
export async function answeredBefore(reader: Pick<RunReader, "events">): Promise<AnsweredBefore> {
  const events: RunEvent[] = [];
  const routed = new Set<string>();
  await eachEvent(reader.events(), (event) => {
    events.push(event);
    if (event.type === "error_raised") routed.delete(event.data.key ?? "");
    if (event.type === "error_routed") routed.add(event.data.key ?? "");
  });
  const { attempts, replies, verdicts } = answersIn(events, undefined);
  const isDone = (key: string): boolean => !attempts.get(key)?.at(-1)?.error || routed.has(key);
  return {
    attempts: [...attempts].flatMap(([key, list]) => (isDone(key) ? list : [])),
    gates: [...replies].flatMap(([key, { kind }]) => (kind === "gate" ? [key] : [])),
    policies: [...verdicts].flatMap(([key, list]) => (attempts.has(key) && isDone(key) ? list.map(() => key) : [])),
  };
}

export function answersIn(events: readonly RunEvent[], workflow: LoadedWorkflow | undefined): Answers {
  const attempts = new Map<string, RecordedAttempt[]>();
  const replies = new Map<string, RecordedReply>();
  const stopped = new Map<string, RecordedAttempt>();
  const verdicts = new Map<string, RecordedVerdicts[]>();
  /** When the questions were asked that have no answer: one that was given before they changed does not count. */
  const asked = new Map<string, number>();
  const given = new Map<string, { id: string; answer: unknown; source: string }[]>();
  const cutOff = new CutOff();
  const rounds = new PlayedRounds();
  const placeOf = (key: string): string => rounds.placeOf(key);
  /** A failure is recorded in two events: how it ended, and its envelope. */
  let failure: { readonly event: EventData<"agent_failed">; readonly path: readonly string[] } | undefined;

  const keep = (path: readonly string[], data: Ended, came: Pick<RecordedAttempt, "output" | "error">): void => {
    const { agent_name: node, agent_type: type, elapsed, changes } = data;
    if (typeof node !== "string" || typeof data.key !== "string") return;
    const key = placeOf(data.key);
    const seconds = Number.isFinite(elapsed) ? elapsed : 0;
    const number = data.attempt - cutOff.ended(data);
    // In a further round of its group a step goes on counting under a new key.
    const list = (attempts.get(key) ?? []).filter((one) => one.number < number);
    attempts.set(key, list);
    list.push({
      node,
      path,
      key,
      type,
      number,
      seconds,
      ...came,
      usage: usageOf(data),
      isByRule:
        came.error !== undefined && came.output !== undefined && isOfRule(workflow, path, node, came.error.kind),
      ...(changes ? { changes: changes as AgentChanges } : {}),
    });
  };

  for (const event of events) {
    const path = event.path ?? [];
    switch (event.type) {
      case "agent_started":
        cutOff.began(event.data);
        if (isContainer(event.data.agent_type) && rounds.began(event.data.key, event.data.attempt)) {
          const place = placeOf(event.data.key);
          lastRoundFirst(attempts, place, (list, key) => countedAnew(list).map((one) => ({ ...one, key })));
          lastRoundFirst(verdicts, place, countedAnew);
          lastRoundFirst(replies, place, (reply, key) => ({ ...reply, key }));
          lastRoundFirst(stopped, place, (attempt, key) => ({ ...attempt, key }));
        }
        break;
      case "policy_evaluated": {
        const { key, attempt } = event.data;
        if (key === undefined || attempt === undefined) break;
        const [place, number] = [placeOf(key), attempt - cutOff.before({ key })];
        const earlier = (verdicts.get(place) ?? []).filter((one) => one.number < number);
        verdicts.set(place, [
          ...earlier,
          { number, verdicts: event.data.verdicts as unknown as readonly NamedVerdict[] },
        ]);
        break;
      }
      case "retry_scheduled":
        if (event.data.via === undefined) rounds.retried(event.data.key);
        break;
      case "agent_completed":
        asked.delete(event.data.key);
        keep(path, event.data, { output: event.data.output });
        break;
      case "agent_cancelled": {
        const { agent_name: node, agent_type: type, attempt: number, elapsed: seconds } = event.data;
        const key = placeOf(event.data.key);
        stopped.set(key, { node, path, key, type, number, seconds, isByRule: false, usage: {}, isStopped: true });
        break;
      }
      case "agent_failed":
        failure = { event: event.data, path };
        break;
      case "error_raised":
        if (failure && failure.event.key === event.data.key) {
          const error = event.data.error as Envelope;
          keep(failure.path, failure.event, { output: failure.event.output, error });
          const key = placeOf(failure.event.key);
          if (error.kind === "gate.timeout") replies.set(key, noReply({ ...failure.event, key }));
          asked.delete(failure.event.key);
        }
        failure = undefined;
        break;
      case "agent_reused":
        asked.delete(event.data.key);
        // The outcome of another run: this journal has no other record of it.
        if (event.data.from_run !== undefined) keep(path, { ...event.data, elapsed: 0 }, { output: event.data.output });
        break;
      case "gate_presented":
      case "questions_presented":
        asked.set(event.data.key, Date.parse(event.ts));
        given.delete(event.data.key);
        break;
      case "gate_resolved": {
        const { agent_name: node, selected_option, additional_input } = event.data;
        const [key, seconds] = [placeOf(event.data.key), secondsSince(asked.get(event.data.key), event)];
        asked.delete(event.data.key);
        replies.set(key, {
          kind: "gate",
          node,
          key,
          seconds,
          ...whoAnswered(event.data),
          value: selected_option,
          additional_input: additional_input as Record<string, string>,
        });
        break;
      }
      case "questions_answered": {
        const { key, id, answer, source } = event.data;
        const list = given.get(key) ?? [];
        given.set(key, [...list.filter((one) => one.id !== id), { id, answer, source }]);
        break;
      }
      case "questions_completed": {
        const { agent_name: node, key: asking = "", outcome } = event.data;
        const [key, seconds] = [placeOf(asking), secondsSince(asked.get(asking), event)];
        asked.delete(asking);
        replies.set(key, {
          kind: "questions",
          node,
          key,
          seconds,
          ...whoAnswered(event.data),
          outcome,
          answers: given.get(asking) ?? [],
        });
        break;
      }
    }
  }
  for (const key of asked.keys()) replies.delete(placeOf(key));
  return { attempts, verdicts, replies, stopped, placeOf };
}

/** Nothing where a journal that was edited has no time. */
export function momentOf(time: string | undefined): number | undefined {
  const moment = Date.parse(time ?? "");
  return Number.isNaN(moment) ? undefined : moment;
}

/** In a further round a step goes on counting; in the first it begins. */
const countedAnew = <One extends { readonly number: number }>(list: readonly One[]): One[] =>
  list.map((one) => ({ ...one, number: one.number - (list[0]?.number ?? 1) + 1 }));

type Ended = Pick<
  EventData<"agent_completed">,
  "agent_name" | "agent_type" | "key" | "attempt" | "elapsed" | "changes"
> &
  Partial<Record<keyof ModelUsage, unknown>>;

/** No one answered in time. */
const noReply = ({ agent_name: node, agent_type, key, elapsed: seconds }: Ended): RecordedReply =>
  agent_type === "questions"
    ? { kind: "questions", node, key, seconds, by: "timeout", outcome: "timeout", answers: [] }
    : { kind: "gate", node, key, seconds, by: "timeout", value: "", additional_input: {} };

const USAGE = ["model", "input_tokens", "output_tokens", "cost_usd"] as const;

const usageOf = (data: Ended): ModelUsage =>
  Object.fromEntries(USAGE.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])));

const secondsSince = (asked: number | undefined, { ts }: RunEvent): number =>
  asked === undefined ? 0 : Math.max(0, ((momentOf(ts) ?? asked) - asked) / 1000 || 0);

const whoAnswered = ({ answered_by, answered_via }: EventData<"gate_resolved"> | EventData<"questions_completed">) =>
  answered_via === undefined ? { by: answered_by } : { by: answered_via, person: answered_by };

/** Whether the author's rules have this kind: the step's output stands beside it, and they are read anew. */
function isOfRule(root: LoadedWorkflow | undefined, path: readonly string[], node: string, kind: string): boolean {
  const workflow = root && childAt(root, path);
  const step = workflow && stepsOf(workflow.definition).find(({ name }) => name === node);
  return step !== undefined && "raise_when" in step && (step.raise_when ?? []).some((rule) => rule.kind === kind);
}
