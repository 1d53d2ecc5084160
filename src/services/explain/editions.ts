// The files as each drive of a run saw them, and as a resume would see them now.
import { keptIn } from "../../errors/mapping.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import { environmentNames } from "../../language/environment.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { beginsDrive } from "../runs/read-run.ts";
import { childAt } from "../runs/report.ts";
import type { Session } from "../session/session.ts";
import { textOfStep } from "./changes.ts";
import { PinnedDefinition } from "./definition.ts";

export class Editions {
  /** The file that each drive was driven with: a resume may have named another. */
  readonly #files: string[] = [];
  readonly #loaded = new Map<number, PinnedDefinition>();
  /** What a resume would be driven with. */
  now: LoadedWorkflow | undefined;

  private constructor(
    /** The files of each drive; the first drive's at 0. */
    private readonly sources: readonly ReadonlyMap<string, string>[],
    private readonly session: Session,
  ) {}

  static async read(reader: RunReader, session: Session): Promise<Editions> {
    const sources: ReadonlyMap<string, string>[] = [];
    for (let drive = 1; ; drive++) {
      const pinned = await reader.pinned(drive);
      if (pinned.size === 0) return new Editions(sources, session);
      sources.push(pinned);
    }
  }

  /** To be called with each event of the run, in order. */
  add(event: RunEvent): void {
    if (beginsDrive(event)) this.#files.push(event.data.outline.file);
  }

  ofDrive(drive: number): PinnedDefinition {
    const [file = "", sources = new Map<string, string>()] = [this.#files[drive - 1], this.sources[drive - 1]];
    return keptIn(this.#loaded, drive, () => new PinnedDefinition(file, sources, this.session));
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
    const then = this.ofDrive(before).at(path);
    const now = after === "now" ? this.now && childAt(this.now, path) : this.ofDrive(after).at(path);
    if (!then || !now || textOfStep(then, node) !== textOfStep(now, node)) return undefined;
    const names = environmentNames(JSON.parse(textOfStep(now, node)));
    return names.length > 0 ? names : undefined;
  }
}
