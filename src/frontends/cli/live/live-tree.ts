// The live tree: steps that run are redrawn in place, about twelve times a second; what ends becomes a line that stays.
import { nodePath, slotOf } from "../../../base/events/key.ts";
import type { EventData, EventType, RunEvent } from "../../../base/events/registry.ts";
import { apply, initialState } from "../../../base/events/state/fold.ts";
import type { NodeState, RunState } from "../../../base/events/state/state.ts";
import type { Output } from "../output.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { lineOf, modelRetry } from "./event-line.ts";
import { HeldLines } from "./held-lines.ts";
import { type EventLine, isDetail, type ProgressView, paintLine, ScriptText, scriptLine } from "./paint-line.ts";
import { region } from "./region.ts";
import { Screen } from "./screen.ts";

const FRAME_MS = 80;

export class LiveTree implements ProgressView {
  readonly #screen: Screen;
  readonly #scripts = new ScriptText();
  readonly #doing = new Doing();
  readonly #since = new Map<string, number>();
  readonly #lines: StayingLines;
  #state: RunState | undefined;
  #staying: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #paused = false;
  readonly #held: HeldLines<EventLine> | undefined;
  readonly #now: () => number;

  /** `now`: a replay has a time of its own. `hasReport`: a report follows, and lines that it repeats are left to it. */
  constructor(
    private readonly output: Output,
    { now = Date.now, hasReport = false }: { readonly now?: () => number; readonly hasReport?: boolean } = {},
  ) {
    this.#screen = new Screen(output.terminal);
    this.#lines = new StayingLines(output.verbose);
    this.#now = now;
    this.#held = hasReport ? new HeldLines() : undefined;
  }

  get said(): ReadonlySet<string> {
    return this.#held?.said ?? new Set();
  }

  on(event: RunEvent): void {
    this.#state ??= initialState(event.run_id);
    apply(this.#state, event);
    this.#doing.take(event);
    this.#clock(event);
    const { colors, verbose } = this.output;
    if (verbose) this.#staying.push(...this.#scripts.take(event).map((text) => scriptLine(text, colors)));
    const line = lineOf(event);
    const lines = line ? this.#lines.from(event, line) : [];
    this.#stay(this.#held ? this.#held.take(event, { lines, isDetail: isDetail(line) }) : lines);
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  /** A line that stays, if there is one; and what there is to see now, not at the next tick. */
  say(text?: string): void {
    // Nothing is drawn before the first event, so the line is printed at once.
    if (text !== undefined && !this.#state) this.output.say(text);
    else if (text !== undefined) this.#staying.push(text);
    this.#draw();
  }

  pause(): void {
    this.#draw();
    this.#paused = true;
    this.#screen.clear();
  }

  resume(): void {
    this.#paused = false;
  }

  #stay(lines: readonly EventLine[]): void {
    for (const line of lines) this.#staying.push(paintLine(line, this.output.colors, this.#screen.columns));
  }

  end(isReported?: (message: string) => boolean): void {
    clearInterval(this.#timer);
    this.#stay(this.#held?.rest(isReported) ?? []);
    this.#staying.push(...this.#scripts.rest().map((text) => scriptLine(text, this.output.colors)));
    this.#paused = false;
    this.#screen.clear();
    for (const line of this.#staying.splice(0)) this.output.say(line);
  }

  #draw(): void {
    if (this.#paused || !this.#state) return;
    const { columns, rows } = this.#screen;
    const { colors } = this.output;
    const moment = {
      now: this.#now(),
      since: (node: NodeState) => this.#startOf(node),
      doing: (path: readonly string[], { name, owner, itemKey }: NodeState) =>
        this.#doing.of(path, name, owner && itemKey !== null ? { group: owner.name, key: itemKey } : undefined),
      colors,
      columns,
      rows,
    };
    this.#screen.draw(this.#staying.splice(0), region(this.#state, moment));
  }

  /** When each running attempt was first seen, by this clock; events of a scenario carry another. */
  #clock({ type, data }: RunEvent): void {
    if (type === "agent_started") this.#since.set(keyOf(data.key, data.attempt), this.#now());
    else if (type === "agent_completed" || type === "agent_failed" || type === "agent_cancelled")
      this.#since.delete(keyOf(data.key, data.attempt));
    else if (type === "for_each_started" || type === "parallel_started")
      this.#since.set(keyOf(data.key, 1), this.#now());
  }

  #startOf(node: NodeState): number {
    return this.#since.get(keyOf(node.key, node.attempts)) ?? this.#since.get(keyOf(node.key, 1)) ?? this.#now();
  }
}

const keyOf = (key: string | null, attempt: number): string => `${key}#${attempt}`;

/** Which lines about events stay on the screen above the live tree. */
export class StayingLines {
  /** The first lines of groups that no line of a member has brought along yet. */
  readonly #begun = new Map<string, EventLine>();

  constructor(private readonly verbose: boolean) {}

  /** The first line of a member that stays brings its group's first line with it, so that it stands under something. */
  from({ type, data, path }: RunEvent, line: EventLine): readonly EventLine[] {
    if (type === "parallel_started" || type === "for_each_started")
      this.#begun.set(plainLineOf(nodePath(path, data.group_name)), line);
    if (type === "parallel_completed" || type === "for_each_completed")
      this.#begun.delete(plainLineOf(nodePath(path, data.group_name)));
    if (!this.#stays(line)) return [];
    const begun = line.group === undefined ? undefined : this.#begun.get(line.group);
    if (!begun) return [line];
    this.#begun.delete(line.group ?? "");
    return [begun, line];
  }

  /** What has just begun is in the tree; of many items that went well the group's count tells. */
  #stays({ weight }: EventLine): boolean {
    return weight === "always" || (this.verbose && weight !== "begin");
  }
}

const lastLine = (text: string): string => plain(text).trim().split("\n").at(-1)?.trim() ?? "";

type Said = { readonly [Type in EventType]?: (data: EventData<Type>) => string };

/** In words what the step of an event does; no words: it has just begun, or ended. */
const SAID: Said = {
  script_output: ({ text }) => lastLine(text),
  agent_tool_start: ({ tool_name }) => `calls ${tool_name}`,
  agent_tool_complete: ({ tool_name }) => `${tool_name} answered`,
  agent_message: ({ content }) => lastLine(content),
  agent_reasoning: () => "thinks",
  agent_retry: (data) => `asks again (${modelRetry(data)})`,
  agent_validator_start: () => "is being judged",
  http_started: ({ method, target }) => `${method} ${target}`,
  mcp_started: ({ target }) => target,
  limit_wait_started: ({ limit }) => `waits for its turn (limit ${plain(limit)})`,
  limit_wait_ended: () => "",
  circuit_awaited: ({ breaker }) => `waits for the circuit ${plain(breaker)}`,
  circuit_passed: () => "",
  wait_started: ({ reason, duration_seconds }) => reason ?? `${duration_seconds}s`,
  agent_started: () => "",
  agent_completed: () => "",
  agent_failed: () => "",
  agent_cancelled: () => "",
};

interface Item {
  readonly group: string;
  readonly key: string;
}

/** What a handler does in an item's place is shown in the item's row, too. */
const placeOf = (path: readonly string[], name: string, item: Item | undefined): string =>
  nodePath(path, slotOf(name, item));

/** What each step does just now, in a few words. The run's state does not hold it: it is gone a moment later. */
class Doing {
  readonly #words = new Map<string, string>();

  take(event: RunEvent): void {
    // A journal may have been edited: an event of the type `constructor` is none that is known.
    if (!Object.hasOwn(SAID, event.type)) return;
    const words = (SAID[event.type] as (data: RunEvent["data"]) => string)(event.data);
    const { node, agent_name, group = "", item_key: key } = event.data as Partial<Record<string, string>>;
    const place = placeOf(event.path, node ?? agent_name ?? "", key === undefined ? undefined : { group, key });
    if (words) this.#words.set(place, words);
    else this.#words.delete(place);
  }

  /** `item`: of an item of a for_each, whose step has one name for all of them. */
  of(path: readonly string[], name: string, item?: Item): string | undefined {
    return this.#words.get(placeOf(path, name, item));
  }
}
