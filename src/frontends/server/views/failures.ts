// How runs failed, ended themselves badly, or went on without something, for lists: each ending is read once. Long
// journals are read in the background, one after the other and with pauses, and no request waits for them.
import { setTimeout as pause } from "node:timers/promises";
import { type Awaitable, mapMaybe } from "../../../base/awaitable.ts";
import { keptIn } from "../../../base/errors/mapping.ts";
import { letterView, stepThatRaised } from "../../../services/dead-letters/view.ts";
import type { ShownOfRun } from "../../../services/reading/shown-of-runs.ts";
import type { Session } from "../../../services/session/session.ts";
import { reading } from "../../../services/session/store.ts";
import type { LetterHead } from "../../../storage/shared-state.ts";
import type { RunStore, StoredRun } from "../../../storage/store.ts";
import { type RunFailure, type RunWrongs, wrongsOf } from "./wrongs-of-run.ts";

type Ended = Pick<StoredRun, "runId" | "status" | "ended" | "exitCode">;

/** `unread`: it is being read; `unreadable`: its journal is damaged, or it is not known what to hide of it. */
export type FoundWrongs = RunWrongs | "unread" | "unreadable";

/** Reading more events than this would delay a list noticeably. */
const LONGEST_WAITED_FOR = 20_000;
/** Between two stretches of a long journal. */
const REST_MS = 5;

interface KnownEnd {
  readonly ended: string | null;
  readonly found: FoundWrongs;
  readonly kinds: readonly string[];
}

export class RunFailures {
  readonly #reading = new Map<string, Promise<FoundWrongs>>();
  readonly #known = new Map<string, KnownEnd>();
  #long: Promise<unknown> = Promise.resolve();
  #version = 0;

  constructor(
    private readonly store: RunStore,
    private readonly session: Pick<Session, "env">,
    private readonly stopping?: AbortSignal,
  ) {}

  /** Everything that went wrong in a run that the index says it of. At once, if it was read already. */
  allOf(run: Ended): Awaitable<FoundWrongs> {
    return this.#knownOf(run)?.found ?? keptIn(this.#reading, `${run.runId} ${run.ended}`, () => this.#begin(run));
  }

  async #begin(run: Ended): Promise<FoundWrongs> {
    const wrongs = await this.#read(run).catch((): FoundWrongs => "unreadable");
    // A long one may have been found already.
    if (!this.#knownOf(run)) this.#keep(run, wrongs);
    this.#reading.delete(`${run.runId} ${run.ended}`);
    return wrongs;
  }

  /** What a list says of a run; nothing when all went well, or it is not read yet, or cannot be. */
  of(run: Ended): Awaitable<RunFailure | null> {
    if (!endedBadly(run)) return null;
    return mapMaybe(this.allOf(run), (found) =>
      typeof found === "string" ? null : (found.end ?? found.lost[0] ?? null),
    );
  }

  /** The kinds of what went wrong in a run, as far as it was read already. */
  kindsKnown(run: Ended): readonly string[] {
    return this.#knownOf(run)?.kinds ?? NONE;
  }

  /** The kinds of all that was read, of runs that are there. */
  allKindsKnown(get: (runId: string) => Ended | undefined): readonly string[] {
    const all = new Set<string>();
    for (const [runId, { ended, kinds }] of this.#known)
      if (kinds.length > 0 && get(runId)?.ended === ended) for (const kind of kinds) all.add(kind);
    return [...all];
  }

  /** Changes with everything that is read. */
  get version(): number {
    return this.#version;
  }

  #knownOf({ runId, ended }: Ended): KnownEnd | undefined {
    const known = this.#known.get(runId);
    return known?.ended === ended ? known : undefined;
  }

  #read(run: Ended): Promise<FoundWrongs> {
    return reading(this.store, run.runId, async (reader) => {
      if ((await reader.lastSeq) <= LONGEST_WAITED_FOR) return wrongsOf(reader, this.session);
      this.#long = this.#long.then(() => this.#readAside(run));
      return "unread";
    });
  }

  async #readAside(run: Ended): Promise<void> {
    const turn = async (): Promise<void> => {
      await pause(REST_MS, undefined, { signal: this.stopping, ref: false });
    };
    const wrongs = await reading(this.store, run.runId, (reader) => wrongsOf(reader, this.session, turn)).catch(
      (): FoundWrongs => "unreadable",
    );
    this.#keep(run, wrongs);
  }

  #keep({ runId, ended }: Ended, found: FoundWrongs): void {
    // A long journal was read while the run was resumed, and ended again.
    if ((this.#known.get(runId)?.ended ?? "") > (ended ?? "")) return;
    const kinds = typeof found === "string" ? NONE : [found.end, ...found.lost].flatMap((one) => one?.kind ?? []);
    this.#known.set(runId, { ended, found, kinds });
    this.#version += 1;
  }
}

const NONE: readonly string[] = [];

/** Whether the run's end itself is bad news; the index knows. */
export const endedBadly = ({ status, exitCode }: Ended): boolean =>
  status === "failed" || status === "degraded" || (status === "terminated" && exitCode !== 0);

/** Whether something may have gone wrong in it: one that ended early, or ended itself well, may have lost something before. */
export const mayHaveWrongs = (run: Ended): boolean =>
  endedBadly(run) || run.status === "terminated" || run.status === "cancelled";

// What was given up and kept as a letter, as a failure of its run: each read once, unless the run may still meet secrets.

/** `step` is the one that raised, as lists of errors name it; `raised` the one that was given up. */
interface KeptFailure extends Omit<RunFailure, "error_type"> {
  readonly error_type: null;
  readonly workflow: string;
}

export class LetterFailures {
  readonly #known = new Map<string, KeptFailure>();

  constructor(
    private readonly store: RunStore,
    private readonly cwd: string,
  ) {}

  async of(
    head: LetterHead,
    { ended }: Pick<StoredRun, "ended">,
    shownOf: (runId: string) => Promise<ShownOfRun>,
  ): Promise<KeptFailure | undefined> {
    const name = `${head.id} ${head.lastSeen} ${head.count} ${ended}`;
    const known = ended === null ? undefined : this.#known.get(name);
    if (known) return known;
    const letter = await this.store.state.letters.get(head.id);
    if (!letter) return undefined;
    const shown = await shownOf(letter.runId);
    const {
      kind,
      workflow,
      path,
      node_id: node,
      item_key: item = null,
      message,
      last_seen: at,
    } = shown(letterView(letter, this.cwd));
    const step = shown(stepThatRaised(letter));
    const raised = { path, node, item };
    const failure = { kind, error_type: null, workflow, step, raised, message, at, first_at: at, times: 1 };
    if (ended !== null) this.#known.set(name, failure);
    return failure;
  }
}
