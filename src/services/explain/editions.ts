// The files as each drive of a run saw them, and as a resume would see them now.
import type { RunReader } from "../../hosts/embedded/run-reader.ts";
import { environmentNames } from "../../language/environment.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { childAt } from "../child-of.ts";
import type { Surroundings } from "../request.ts";
import { textOfStep } from "./changes.ts";
import { PinnedDefinition } from "./definition.ts";

export class Editions {
  readonly #reader: Pick<RunReader, "meta" | "pinned">;
  readonly #surroundings: Surroundings;
  readonly #pinned = new Map<number, PinnedDefinition>();
  /** What a resume would be driven with. */
  now: LoadedWorkflow | undefined;

  constructor(reader: Pick<RunReader, "meta" | "pinned">, surroundings: Surroundings) {
    this.#reader = reader;
    this.#surroundings = surroundings;
  }

  of(drive: number): PinnedDefinition {
    const known = this.#pinned.get(drive) ?? new PinnedDefinition(this.#reader, drive, this.#surroundings);
    this.#pinned.set(drive, known);
    return known;
  }

  /**
   * The variables that a step names, if it reads the same in both drives and names any: only their values can have
   * changed. Which of them did is not known, since values are kept as one digest.
   */
  environmentOf(
    path: readonly string[],
    node: string,
    before: number,
    after: number | "now",
  ): readonly string[] | undefined {
    const then = this.of(before).at(path);
    const now = after === "now" ? this.now && childAt(this.now, path) : this.of(after).at(path);
    if (!then || !now || textOfStep(then, node) !== textOfStep(now, node)) return undefined;
    const names = environmentNames(JSON.parse(textOfStep(now, node)));
    return names.length > 0 ? names : undefined;
  }
}
