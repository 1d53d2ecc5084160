// How two plays of one run differ: with the file as it was, and as it is now.
import type { RunEvent } from "../../base/events/registry.ts";
import type { Result } from "../../base/results/result.ts";
import type { LoadedWorkflow, NodePath } from "../../language/loaded.ts";
import { childAt, valueAt } from "../../services/reading/report.ts";
import type { Play } from "./play.ts";
import type { NotRecorded } from "./recorded-world.ts";

export const VERDICTS = ["same", "rerouted", "better", "worse", "output", "unknown"] as const;

export type BacktestVerdict = (typeof VERDICTS)[number];

/** What an edit would have done to one run. */
export interface RunVerdict {
  readonly run_id: string;
  readonly verdict: BacktestVerdict;
  /** Where the two part, or what asks something that was never recorded; null where nothing differs. */
  readonly step: string | null;
  /** Of the file as it is now: what made the difference, as far as it is known. */
  readonly file: string | null;
  readonly line: number | null;
  /** The change in that line: `max 4 → 2`. */
  readonly change: string | null;
  /** What follows there, in the run and with the file as it is now: `retry`, `to later`, `unhandled`. */
  readonly routes?: Routes;
  /** How it ended: `completed`, `failed with vcs.drift`. */
  readonly was: string;
  readonly now: string;
  /** Fields of the output that differ. */
  readonly fields?: readonly string[];
  /** Why it is not known, in a sentence. */
  readonly why?: string;
  /** What may be meant instead, where a rule that the run did not have yet made the difference. */
  readonly hint?: string;
  /** It failed, and what is not known comes before the step that failed. */
  readonly short?: boolean;
}

interface Compared {
  readonly runId: string;
  readonly before: Play;
  readonly after: Play;
  readonly from: LoadedWorkflow;
  readonly to: LoadedWorkflow;
}

export function verdictOf({ runId, before, after, from, to }: Compared): RunVerdict {
  const parting = partingOf(before.events, after.events);
  const [was, now] = [endText(before), endText(after)];
  const place = parting ? changeAt(from, to, parting) : undefined;
  const said = {
    run_id: runId,
    step: parting ? [...parting.path, parting.node].join("/") : null,
    ...(place ?? { file: null, line: null, change: null }),
    ...(parting ? { routes: parting.routes } : {}),
    ...hintFor(parting),
    was,
    now,
  };
  if (after.unanswered && (parting || !before.unanswered)) {
    const { node, path } = after.unanswered;
    const at = changeAt(from, to, { node, path });
    return {
      ...said,
      ...at,
      verdict: "unknown",
      step: [...path, node].join("/"),
      why: whyUnknown(from, to, after.unanswered),
      ...(isShort(before.events, after.events) ? { short: true } : {}),
    };
  }
  const [rankBefore, rankAfter] = [rankOf(before), rankOf(after)];
  if (rankAfter !== rankBefore) return { ...said, verdict: rankAfter > rankBefore ? "better" : "worse" };
  // A run that failed has no output to compare.
  const fields = was === now && rankAfter > 0 ? differingFields(before.result.output, after.result.output) : [];
  if (fields.length > 0)
    return { ...said, ...(place ? {} : changeOfOutput(before, after, from, to)), verdict: "output", fields };
  return { ...said, verdict: parting || was !== now ? "rerouted" : "same" };
}

/** A script that failed unseen when the run was recorded. */
const hintFor = (parting: ReturnType<typeof partingOf>): Pick<RunVerdict, "hint"> =>
  parting?.routes.now === "internal.script_error"
    ? { hint: `if that exit code of ${parting.node} is no failure, add \`ok_exit_codes\`` }
    : {};

/** Whether the second does not begin the step at which the first failed. */
function isShort(before: readonly RunEvent[], after: readonly RunEvent[]): boolean {
  const failed = before.findLast((event) => event.type === "error_unhandled");
  return (
    failed?.type === "error_unhandled" &&
    !after.some(
      (event) =>
        event.type === "agent_started" &&
        event.data.agent_name === failed.data.node &&
        (event.path ?? []).join("/") === (failed.path ?? []).join("/"),
    )
  );
}

/** A run that was cut off has no end of its own. */
function endText({ result, unanswered }: Play): string {
  if (unanswered) return `open at ${[...unanswered.path, unanswered.node].join("/")}`;
  const kind = failingKind(result);
  const status = result.status === "terminated" && result.exit_code !== 0 ? "terminated as failed" : result.status;
  return kind === undefined ? status : `${status} with ${kind}`;
}

const failingKind = ({ status, errors }: Result): string | undefined =>
  status === "failed" || status === "degraded" ? (errors.find(({ kind }) => kind)?.kind ?? undefined) : undefined;

/** How well it ended: lost items are between the two, and so is waiting for a person. */
function rankOf({ result, unanswered }: Play): number {
  if (unanswered) return 1;
  switch (result.status) {
    case "completed":
      return 2;
    case "terminated":
      return result.exit_code === 0 ? 2 : 0;
    case "degraded":
    case "paused":
      return 1;
    default:
      return 0;
  }
}

function whyUnknown(from: LoadedWorkflow, to: LoadedWorkflow, { node, path, policy }: NotRecorded): string {
  if (policy !== undefined) return `what the policy ${policy} says of ${node} was not recorded`;
  const [was, now] = [rawOf(childAt(from, path), node), rawOf(childAt(to, path), node)];
  if (was === undefined) return `${node} is new`;
  return JSON.stringify(was) === JSON.stringify(now)
    ? `${node} is asked something else than was recorded`
    : `${node} was changed, and asks something else than was recorded`;
}

const rawOf = (workflow: LoadedWorkflow | undefined, node: string): unknown => {
  const path = workflow?.pathOf(node);
  return path === undefined || path.length === 0 ? undefined : valueAt(workflow?.raw, path);
};

/** The line of the file that differs: of the step, else of anything in the same file, else the step's own. */
export function changeAt(
  from: LoadedWorkflow,
  to: LoadedWorkflow,
  { node, path }: PartingStep,
): Pick<RunVerdict, "file" | "line" | "change"> | undefined {
  const [was, now] = [childAt(from, path), childAt(to, path)];
  if (!now) return undefined;
  const at = now.pathOf(node);
  const own = at.length === 0 ? undefined : firstChange(rawOf(was, node), valueAt(now.raw, at), at);
  const found = own ?? firstChange(was?.raw, now.raw, []);
  const { file, line } = now.positions.at(found ? known(found.path, now) : at);
  return { file, line, change: found ? changeText(found) : null };
}

/** By the same way to another output: the step that first came to something else, or the line of `output`. */
function changeOfOutput(
  before: Play,
  after: Play,
  from: LoadedWorkflow,
  to: LoadedWorkflow,
): Partial<Pick<RunVerdict, "step" | "file" | "line" | "change">> {
  const [was, now] = [outputsOf(before.events), outputsOf(after.events)];
  const other = was.find(({ text }, index) => text !== now[index]?.text);
  if (other) return { step: [...other.path, other.node].join("/"), ...changeAt(from, to, other) };
  const found = firstChange(valueAt(from.raw, ["output"]), valueAt(to.raw, ["output"]), ["output"]);
  if (!found) return {};
  const { file, line } = to.positions.at(known(found.path, to));
  return { file, line, change: changeText(found) };
}

const outputsOf = (events: readonly RunEvent[]): readonly (PartingStep & { readonly text: string })[] =>
  events.flatMap((event) =>
    event.type === "agent_completed"
      ? [{ node: event.data.agent_name, path: event.path ?? [], text: JSON.stringify(event.data.output) }]
      : [],
  );

interface Change {
  readonly path: NodePath;
  readonly was: unknown;
  readonly now: unknown;
}

function firstChange(was: unknown, now: unknown, path: NodePath): Change | undefined {
  if (was === undefined || !isTree(was) || !isTree(now) || Array.isArray(was) !== Array.isArray(now))
    return JSON.stringify(was) === JSON.stringify(now) ? undefined : { path, was, now };
  const entry = Array.isArray(was) && Array.isArray(now) ? entryChange(was, now) : undefined;
  if (entry) return { ...entry, path: [...path, entry.index] };
  for (const key of new Set([...Object.keys(now), ...Object.keys(was)])) {
    const found = firstChange(was[key], now[key], [...path, Array.isArray(now) ? Number(key) : key]);
    if (found) return found;
  }
  return undefined;
}

/** One entry more or less, wherever it stands: the others are as they were. */
function entryChange(
  was: readonly unknown[],
  now: readonly unknown[],
): { readonly index: number; readonly was: unknown; readonly now: unknown } | undefined {
  if (Math.abs(was.length - now.length) !== 1) return undefined;
  const [short, long] = was.length < now.length ? [was, now] : [now, was];
  const texts = short.map((one) => JSON.stringify(one));
  const at = long.findIndex((one, place) => JSON.stringify(one) !== texts[place]);
  if (long.slice(at + 1).some((one, place) => JSON.stringify(one) !== texts[at + place])) return undefined;
  return { index: at, was: long === was ? was[at] : undefined, now: long === now ? now[at] : undefined };
}

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null;

/** The path as far as the file has it. */
function known(path: NodePath, { raw }: LoadedWorkflow): NodePath {
  return path.length === 0 || valueAt(raw, path) !== undefined
    ? path
    : known(path.slice(0, -1), { raw } as LoadedWorkflow);
}

const LONGEST_VALUE = 40;

function changeText({ path, was, now }: Change): string {
  const name = path.findLast((part) => typeof part === "string") ?? "the file";
  const isEntry = typeof path.at(-1) === "number";
  if (was === undefined) return isEntry ? `a new entry in ${name}` : `${name} is new`;
  if (now === undefined) return isEntry ? `one entry less in ${name}` : `${name} is gone`;
  const [a, b] = [shown(was), shown(now)];
  return a === undefined || b === undefined ? `${name} was changed` : `${name} ${a} → ${b}`;
}

function shown(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : isTree(value) ? undefined : String(value);
  return text !== undefined && text.length <= LONGEST_VALUE && !text.includes("\n") ? text : undefined;
}

/** Names of fields whose values differ; `output` where it is not a mapping in both. */
function differingFields(was: unknown, now: unknown): readonly string[] {
  if (JSON.stringify(was) === JSON.stringify(now)) return [];
  if (!isTree(was) || !isTree(now) || Array.isArray(was) || Array.isArray(now)) return ["output"];
  return [...new Set([...Object.keys(was), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(now[name]),
  );
}

interface PartingStep {
  readonly node: string;
  readonly path: readonly string[];
}

interface Routes {
  readonly was: string;
  readonly now: string;
}

/** One thing that happened, as far as it tells two ways apart. */
interface Fact extends PartingStep {
  readonly text: string;
  /** The same for people: `retry`, `to later`. */
  readonly said: string;
}

/** Where the second goes another way than the first: the step that decides it. Nothing where they are alike. */
function partingOf(
  before: readonly RunEvent[],
  after: readonly RunEvent[],
): (PartingStep & { readonly routes: Routes }) | undefined {
  const [first, second] = [wayOf(before), wayOf(after)];
  const differing = first.findIndex((fact, index) => fact.text !== second[index]?.text);
  const at = differing === -1 ? first.length : differing;
  const [was, now] = [first[at], second[at]];
  // The same step did something else; or other steps ran, which the one before them led to.
  const place = was && now && was.node !== now.node ? (second[at - 1] ?? now) : (was ?? now);
  if (!place) return undefined;
  const { node, path } = place;
  return { node, path, routes: { was: was?.said ?? "the end", now: now?.said ?? "the end" } };
}

function wayOf(events: readonly RunEvent[]): readonly Fact[] {
  return events.flatMap((event): readonly Fact[] => {
    const path = event.path ?? [];
    const fact = (node: string, text: string, said: string): readonly Fact[] => [
      { node, path, said, text: `${path.join("/")} ${node} ${text}` },
    ];
    switch (event.type) {
      case "agent_started": {
        const { agent_name, key, attempt } = event.data;
        return fact(agent_name, `began ${key} ${attempt}`, attempt > 1 ? `attempt ${attempt}` : `to ${agent_name}`);
      }
      case "error_raised":
        return fact(event.data.node, `raised ${event.data.error.kind}`, event.data.error.kind);
      case "error_routed": {
        const { node, action, to } = event.data;
        return fact(node, `${action} ${to ?? ""}`, action !== "retry" && to ? `to ${to}` : action);
      }
      case "error_unhandled":
        return fact(event.data.node, "unhandled", "unhandled");
      case "route_taken":
        return fact(event.data.from_agent, `led to ${event.data.to_agent}`, `to ${event.data.to_agent}`);
      default:
        return [];
    }
  });
}
