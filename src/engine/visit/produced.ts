// Files that steps say they write (`produces`), by the drive in which those steps ended. A step that reads such files
// (`files`) and ended in an earlier drive has read what they were then: its recorded end is not reused.
import { resolve, sep } from "node:path";
import { patternsMeet } from "../../base/errors/path-pattern.ts";
import type { Recorded } from "../../base/events/visits/recall.ts";
import type { Step } from "../../language/schema/index.ts";

/** The part of a visit that says which files its step reads and writes. */
interface VisitedStep {
  readonly frame: { readonly place: { readonly dir: string } };
  readonly work: { readonly step?: Step | undefined };
}

/** Of a drive. */
export class ProducedFiles {
  /** By pattern: the last drive in which a step ended that produces it. */
  readonly #ended = new Map<string, number>();

  /** `drive`: of a step that is reused; left out when it ran in this one. */
  ended({ frame, work }: VisitedStep, drive = Number.POSITIVE_INFINITY): void {
    for (const pattern of (work.step && "produces" in work.step && work.step.produces) || []) {
      const path = absolute(frame.place.dir, pattern);
      this.#ended.set(path, Math.max(drive, this.#ended.get(path) ?? 0));
    }
  }

  isReadBy({ frame, work }: VisitedStep, { endedIn = 0 }: Recorded): boolean {
    if (this.#ended.size === 0 || work.step?.type !== "script") return false;
    const read = work.step.files.map((pattern) => absolute(frame.place.dir, pattern));
    return [...this.#ended].some(
      ([produced, drive]) => drive > endedIn && read.some((pattern) => patternsMeet(pattern, produced)),
    );
  }
}

const absolute = (dir: string, pattern: string): string => resolve(dir, pattern).split(sep).join("/");
