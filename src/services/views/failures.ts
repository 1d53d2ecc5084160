// How runs failed, ended themselves badly, or went on without something, for lists: each ending is read once. Long
// journals are read in the background, one after the other and with pauses, and no request waits for them.
import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "../../engine/awaitable.ts";
import type { Letter, LetterHead } from "../../hosts/shared-state.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { stepThatRaised } from "../letters/settle.ts";
import { letterView } from "../letters/view.ts";
import type { Session } from "../session/session.ts";
import { reading } from "../session/store.ts";
import { type RaisingStep, type RunFailure, type RunWrongs, wrongsOf } from "./wrongs-of-run.ts";

type Ended = Pick<StoredRun, "runId" | "status" | "ended" | "exitCode">;

/** `unread`: it is being read; `unreadable`: its journal is damaged, or it is not known what to hide of it. */
export type FoundWrongs = RunWrongs | "unread" | "unreadable";

/** Reading more events than this would delay a list noticeably. */
const LONGEST_WAITED_FOR = 20_000;
/** Between two stretches of a long journal. */
const REST_MS = 5;

export class RunFailures {
  readonly #reading = new Map<string, Promise<FoundWrongs>>();
  readonly #found = new Map<string, FoundWrongs>();
  #long: Promise<unknown> = Promise.resolve();
  #version = 0;

  constructor(
    private readonly store: RunStore,
    private readonly session: Pick<Session, "env">,
    private readonly stopping?: AbortSignal,
  ) {}

  /** Everything that went wrong in a run that the index says it of. */
  async allOf(run: Ended): Promise<FoundWrongs> {
    const ending = nameOf(run);
    const found = this.#found.get(ending);
    if (found) return found;
    const going =
      this.#reading.get(ending) ??
      this.#read(run.runId, ending)
        .catch((): FoundWrongs => "unreadable")
        .then((wrongs) => {
          // A long one may have been found already.
          if (!this.#found.has(ending)) this.#keep(ending, wrongs);
          this.#reading.delete(ending);
          return wrongs;
        });
    this.#reading.set(ending, going);
    return going;
  }

  /** What a list says of a run; nothing when all went well, or it is not read yet, or cannot be. */
  async of(run: Ended): Promise<RunFailure | null> {
    if (!endedBadly(run)) return null;
    const found = await this.allOf(run);
    return typeof found === "string" ? null : (found.end ?? found.lost[0] ?? null);
  }

  /** The kinds of what went wrong in a run, as far as it was read already. */
  kindsKnown(run: Ended): readonly string[] {
    const found = this.#found.get(nameOf(run));
    if (found === undefined || typeof found === "string") return [];
    return [found.end, ...found.lost].flatMap((failure) => failure?.kind ?? []);
  }

  /** The kinds of all that was read, of runs that are there. */
  allKindsKnown(get: (runId: string) => Ended | undefined): readonly string[] {
    const kinds = new Set<string>();
    for (const ending of this.#found.keys()) {
      const run = get(ending.slice(0, ending.indexOf(" ")));
      if (run && nameOf(run) === ending) for (const kind of this.kindsKnown(run)) kinds.add(kind);
    }
    return [...kinds];
  }

  /** What a list says of a run that was read already. */
  known(run: Ended): RunFailure | null | undefined {
    const found = this.#found.get(nameOf(run));
    if (found === undefined) return undefined;
    return typeof found === "string" ? null : (found.end ?? found.lost[0] ?? null);
  }

  /** Changes with everything that is read. */
  get version(): number {
    return this.#version;
  }

  #read(runId: string, ending: string): Promise<FoundWrongs> {
    return reading(this.store, runId, async (reader) => {
      if ((await reader.lastSeq) <= LONGEST_WAITED_FOR) return wrongsOf(reader, this.session);
      this.#long = this.#long.then(() => this.#readAside(runId, ending));
      return "unread";
    });
  }

  async #readAside(runId: string, ending: string): Promise<void> {
    const turn = async (): Promise<void> => {
      await pause(REST_MS, undefined, { signal: this.stopping, ref: false });
    };
    const wrongs = await reading(this.store, runId, (reader) => wrongsOf(reader, this.session, turn)).catch(
      (): FoundWrongs => "unreadable",
    );
    this.#keep(ending, wrongs);
  }

  #keep(ending: string, wrongs: FoundWrongs): void {
    this.#found.set(ending, wrongs);
    this.#version += 1;
  }
}

const nameOf = ({ runId, ended }: Ended): string => `${runId} ${ended}`;

/** Whether the run's end itself is bad news; the index knows. */
export const endedBadly = ({ status, exitCode }: Ended): boolean =>
  status === "failed" || status === "degraded" || (status === "terminated" && exitCode !== 0);

/** Whether something may have gone wrong in it: one that ended early, or ended itself well, may have lost something before. */
export const mayHaveWrongs = (run: Ended): boolean =>
  endedBadly(run) || run.status === "terminated" || run.status === "cancelled";

// What was given up and kept as a letter, as a failure of its run: each read once, unless the run may still meet secrets.

export interface KeptFailure {
  readonly kind: string;
  readonly workflow: string;
  /** The one that raised, as lists of errors name it. */
  readonly step: string;
  /** The one that was given up. */
  readonly raised: RaisingStep;
  readonly message: string;
  readonly at: string;
}

interface ReadingLetters {
  readonly cwd: string;
  readonly redactorOf: (runId: string) => Promise<Redactor>;
  readonly letterOf: (id: string) => Awaitable<Letter | undefined>;
}

export class LetterFailures {
  readonly #known = new Map<string, KeptFailure>();

  /** Nothing when it is gone. */
  async of(
    head: LetterHead,
    { ended }: Pick<StoredRun, "ended">,
    { cwd, redactorOf, letterOf }: ReadingLetters,
  ): Promise<KeptFailure | undefined> {
    const name = `${head.id} ${head.lastSeen} ${head.count} ${ended}`;
    const known = ended === null ? undefined : this.#known.get(name);
    if (known) return known;
    const letter = await letterOf(head.id);
    if (!letter) return undefined;
    const redactor = await redactorOf(letter.runId);
    const view = letterView(letter, cwd, redactor);
    const { kind, workflow, path, node_id: node, item_key: item = null, message, last_seen: at } = view;
    const step = redactor.text(stepThatRaised(letter));
    const failure = { kind, workflow, step, raised: { path, node, item }, message, at };
    if (ended !== null) this.#known.set(name, failure);
    return failure;
  }
}
