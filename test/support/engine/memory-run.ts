// A run whose files and journal are in memory and whose time is virtual. It can be driven again and again, with
// its files edited or its journal cut off in between, as after a crash.

import type { EventType, RunEvent } from "../../../src/base/events/registry.ts";
import { remember } from "../../../src/base/events/visits/recall.ts";
import { resolveInputs } from "../../../src/engine/children/inputs.ts";
import { outlineOf } from "../../../src/engine/children/outline.ts";
import { conclude } from "../../../src/engine/conclude.ts";
import type { FrameEnd } from "../../../src/engine/ends.ts";
import { Guard } from "../../../src/engine/guard/guard.ts";
import { interpretRoot } from "../../../src/engine/interpret.ts";
import type { OutcomeCache } from "../../../src/engine/outcome-cache.ts";
import type { Asker } from "../../../src/engine/people/ask.ts";
import { fileDigest } from "../../../src/engine/visit/hash.ts";
import { loadWorkflow } from "../../../src/language/load.ts";
import type { LoadedWorkflow } from "../../../src/language/loaded.ts";
import { loadExecutors, STEP_TYPE_NAMES } from "../../../src/steps/types.ts";
import { VirtualClock } from "../../../src/storage/clock.ts";
import { Drive } from "../../../src/storage/drive.ts";
import { aWhile, LateDrive, MemoryGovernance } from "./memory-governance.ts";
import { memoryWorld } from "./memory-world.ts";
import { type ModelAnswers, type ScriptAnswers, scriptedWorld } from "./scripted-world.ts";

export interface DriveOptions {
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly scripts?: ScriptAnswers;
  readonly models?: ModelAnswers;
  readonly ask?: Asker;
  readonly skipGates?: boolean;
  readonly force?: boolean;
  readonly from?: string;
  readonly allowMore?: number;
  readonly signal?: AbortSignal;
  readonly cache?: OutcomeCache;
  /** Process groups that outlived the drive before; and those that no event names, by their idempotency key. */
  readonly orphans?: readonly number[];
  readonly unrecordedOrphans?: Readonly<Record<string, number>>;
  /** Digests of files by path, and of patterns; what scripts are called with names them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly changedFiles?: boolean;
  readonly startedBy?: string;
  /** Called before each step, and before it touches anything outside. */
  readonly assertLease?: () => undefined | Promise<void>;
}

export interface MemoryDrive {
  readonly end: FrameEnd;
  /** The workflow's output, when it completed. */
  readonly output: unknown;
  /** What this drive recorded. */
  readonly events: readonly RunEvent[];
  /** Keys of the script attempts that really ran, in order. */
  readonly ran: readonly string[];
  /** The data of the events of that type, in order. */
  recorded<Type extends EventType>(type: Type): readonly (RunEvent & { readonly type: Type })["data"][];
}

export class MemoryRun {
  readonly clock = new VirtualClock();
  readonly governance: MemoryGovernance;
  journal: RunEvent[] = [];
  /** How long the journal was after each commit. */
  readonly commits: number[] = [];
  #files: Readonly<Record<string, string>>;
  #drives = 0;

  constructor(
    files: string | Readonly<Record<string, string>>,
    /** Whether the port and all that runs share answer with promises. */
    readonly isLate = false,
    /** Whether its journal is a way over the network. */
    readonly isElsewhere = false,
  ) {
    this.#files = typeof files === "string" ? { "main.yaml": files } : files;
    this.governance = new MemoryGovernance(() => this.clock.now(), isLate);
  }

  edit(text: string, replacement: string, file = "main.yaml"): void {
    const before = this.#files[file] ?? "";
    if (!before.includes(text)) throw new Error(`${file} does not hold ${text}`);
    this.#files = { ...this.#files, [file]: before.replace(text, replacement) };
  }

  /** As if the drive had been killed right after it wrote the first such event. */
  cutAfter(type: EventType, matches: (data: Readonly<Record<string, unknown>>) => boolean = () => true): void {
    const first = this.journal.findIndex((event) => event.type === type && matches(event.data));
    if (first < 0) throw new Error(`nothing was recorded of ${type}`);
    this.journal = this.journal.slice(0, first + 1);
  }

  async drive(options: DriveOptions = {}): Promise<MemoryDrive> {
    const workflow = this.#load();
    const given = resolveInputs(workflow.definition.workflow.input, options.inputs ?? {}, "refuse");
    if (!given.ok) throw new Error(given.problems.map(({ message }) => message).join("\n"));
    const { journal, clock } = this;
    const first = journal.length;
    const ran: string[] = [];
    const recall = remember(journal);
    const write = (events: readonly RunEvent[]): void => void this.commits.push(journal.push(...events));
    const PortDrive = this.isLate ? LateDrive : Drive;
    const drive = new PortDrive({
      log: {
        runId: "run",
        lastSeq: journal.at(-1)?.seq ?? 0,
        isElsewhere: this.isElsewhere,
        assertLease: options.assertLease ?? (() => undefined),
        append: (events) => (this.isElsewhere ? aWhile().then(() => write(events)) : write(events)),
      },
      clock,
      recall,
      random: () => 0,
      written: () => {},
      ask: options.ask,
    });
    const resilient = [workflow, ...workflow.children.values()].some(({ definition: { workflow: section } }) =>
      Boolean(section.resilience ?? section.policies[0]),
    );
    drive.note(
      [],
      this.#drives === 0 ? "workflow_started" : "run_resumed",
      this.#beginning(workflow, options) as never,
    );
    this.#drives += 1;
    let isFresh = false;
    const end = await interpretRoot(
      {
        durable: drive,
        executor: await loadExecutors(STEP_TYPE_NAMES),
        world: scriptedWorld(options.scripts ?? {}, ({ key }) => void ran.push(key), {
          ...(options.files ? { files: options.files } : {}),
          ...(options.models ? { models: options.models } : {}),
        }),
        rerunsChangedFiles: options.changedFiles ?? false,
        clock,
        spillDir: "/nowhere",
        hashing: { env: {}, key: "key" },
        rootDir: "/w",
        startedBy: options.startedBy,
        skipGates: options.skipGates ?? false,
        canAsk: options.ask !== undefined,
        activeSecondsBefore: recall.activeMs / 1000,
        startsFresh: (frame, node) => {
          isFresh ||= frame.depth === 0 && node === options.from;
          return isFresh;
        },
        cache: options.cache,
        guard: resilient ? new Guard(this.governance) : undefined,
        endOrphan: async ({ pid }) => options.orphans?.includes(pid) ?? false,
        endAttempt: async (mark) => options.unrecordedOrphans?.[mark],
        defect: () => {},
        allowMore: async () => options.allowMore ?? 0,
      },
      {
        workflow,
        inputs: given.inputs,
        reuse: options.force !== true,
        signal: options.signal ?? new AbortController().signal,
        startsOver: options.force === true || options.from !== undefined,
      },
    );
    conclude(end, drive.note, { elapsed: 0, errorsJsonl: "/nowhere" });
    await drive.end();
    const events = journal.slice(first);
    return {
      end,
      output: end.type === "completed" ? end.output : undefined,
      events,
      ran,
      recorded: (type) => events.flatMap((event) => (event.type === type ? [event.data as never] : [])),
    };
  }

  #load(): LoadedWorkflow {
    const { workflow, findings } = loadWorkflow("/w/main.yaml", memoryWorld(this.#files));
    const wrong = findings.filter(({ severity }) => severity === "error");
    if (!workflow || wrong.length > 0) throw new Error(wrong.map(({ message }) => message).join("\n"));
    return workflow;
  }

  #beginning(workflow: LoadedWorkflow, { inputs = {}, force, from }: DriveOptions): object {
    return {
      name: workflow.definition.workflow.name,
      file: workflow.file,
      outline: outlineOf(workflow),
      definition_hash: fileDigest(workflow),
      inputs,
      system: {},
      drive: this.#drives + 1,
      ...(force ? { force } : {}),
      ...(from ? { from } : {}),
    };
  }
}
