// How runs failed, for lists: the step, the kind and the message, read once for each ending.
import type { RunEvent } from "../../events/registry.ts";
import type { RunStore, StoredRun } from "../../hosts/store.ts";
import { redactorFor } from "../read-run.ts";
import type { Surroundings } from "../request.ts";
import { reading } from "../store.ts";
import { stepOf } from "./standing.ts";

export interface RunFailure {
  /** With its sub-workflows before it. */
  readonly step: string | null;
  readonly kind: string | null;
  readonly error_type: string;
  readonly message: string;
  readonly at: string;
}

/** The end of a run is among its last events: hooks and exports may come after it. */
const LAST = 50;

export class RunFailures {
  readonly #store: RunStore;
  readonly #surroundings: Pick<Surroundings, "env">;
  readonly #known = new Map<string, Promise<RunFailure | null>>();

  constructor(store: RunStore, surroundings: Pick<Surroundings, "env">) {
    this.#store = store;
    this.#surroundings = surroundings;
  }

  /** How a run failed; nothing when it did not, or cannot be read. */
  of({ runId, status, ended }: Pick<StoredRun, "runId" | "status" | "ended">): Promise<RunFailure | null> {
    if (status !== "failed") return Promise.resolve(null);
    const ending = `${runId} ${ended}`;
    const known = this.#known.get(ending) ?? this.#read(runId).catch(() => null);
    this.#known.set(ending, known);
    return known;
  }

  #read(runId: string): Promise<RunFailure | null> {
    return reading(this.#store, runId, async (reader) => {
      let failed: Extract<RunEvent, { readonly type: "workflow_failed" }> | undefined;
      for await (const event of reader.events(Math.max(0, (await reader.lastSeq) - LAST)))
        if (event.type === "workflow_failed") failed = event;
      if (!failed) return null;
      const { agent_name, agent_path = [], error, error_type, message } = failed.data;
      const redactor = await redactorFor(reader, this.#surroundings);
      const shown = { step: stepOf(agent_path, agent_name), kind: error?.kind ?? null, error_type, message };
      return { ...(redactor.value(shown) as typeof shown), at: failed.ts };
    });
  }
}
