// What earlier drives recorded, and what branches of the present one have recorded elsewhere.
import { isInside } from "../events/key.ts";
import type { RunEvent } from "../events/registry.ts";
import { type Recall, RecallFold, type Recorded } from "../events/visits/recall.ts";

export class HeardRecall implements Recall {
  readonly #before: Recall;
  #group: string | undefined;
  #heard = new RecallFold();

  constructor(before: Recall) {
    this.#before = before;
  }

  /** From now on the branches of this group are heard. */
  listenTo(group: string): void {
    this.#group = group;
    this.#heard = new RecallFold();
  }

  hear(event: RunEvent): void {
    this.#heard.add(event);
  }

  get(key: string): Recorded | undefined {
    const heard = this.#group !== undefined && isInside(key, this.#group) ? this.#heard.get(key) : undefined;
    return heard ?? this.#before.get(key);
  }

  spentIn(prefix: string): number {
    return this.#before.spentIn(prefix);
  }

  hookRan(key: string): boolean {
    return this.#before.hookRan(key) || this.#heard.hookRan(key);
  }

  filesInside(key: string) {
    return this.#before.filesInside(key);
  }

  leftRunning() {
    return this.#before.leftRunning();
  }

  get retryVia() {
    return this.#before.retryVia;
  }
  get executions() {
    return this.#before.executions;
  }
  get executionsIn() {
    return this.#before.executionsIn;
  }
  get spentUsd() {
    return this.#before.spentUsd;
  }
  get namedSessions() {
    return this.#before.namedSessions;
  }
  get activeMs() {
    return this.#before.activeMs;
  }
  get drives() {
    return this.#before.drives;
  }
}
