// What was given up and kept as a letter, as a failure of its run: each read once, unless the run may still meet secrets.
import type { Letter } from "../../hosts/shared-state.ts";
import type { StoredRun } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { letterView } from "../letters/view.ts";
import { stepOf } from "./standing.ts";

export interface LetterFailure {
  readonly kind: string;
  readonly workflow: string;
  readonly file: string;
  readonly step: string | null;
  readonly message: string;
  readonly at: string;
}

export class LetterFailures {
  readonly #known = new Map<string, LetterFailure>();

  async of(
    letter: Letter,
    { ended }: Pick<StoredRun, "ended">,
    { cwd, redactorOf }: { readonly cwd: string; readonly redactorOf: (runId: string) => Promise<Redactor> },
  ): Promise<LetterFailure> {
    const name = `${letter.id} ${letter.lastSeen} ${letter.count} ${ended}`;
    const known = ended === null ? undefined : this.#known.get(name);
    if (known) return known;
    const view = letterView(letter, cwd, await redactorOf(letter.runId));
    const { kind, workflow, file, path, node_id, message, last_seen } = view;
    const failure = { kind, workflow, file, step: stepOf(path, node_id), message, at: last_seen };
    if (ended !== null) this.#known.set(name, failure);
    return failure;
  }
}
