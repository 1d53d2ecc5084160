// What was given up and kept as a letter, as a failure of its run: each read once, unless the run may still meet secrets.
import type { Awaitable } from "../../engine/awaitable.ts";
import type { Letter, LetterHead } from "../../hosts/shared-state.ts";
import type { StoredRun } from "../../hosts/store.ts";
import type { Redactor } from "../../redact/index.ts";
import { stepThatRaised } from "../letters/settle.ts";
import { letterView } from "../letters/view.ts";
import type { RaisingStep } from "./raisings.ts";

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
