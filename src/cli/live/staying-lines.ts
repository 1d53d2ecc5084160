// Which lines about events stay on the screen above the live tree.
import { nodePath } from "../../events/key.ts";
import type { RunEvent } from "../../events/registry.ts";
import { plainLineOf } from "../text/harmless.ts";
import type { EventLine } from "./line-parts.ts";

export class StayingLines {
  readonly #verbose: boolean;
  /** The first lines of groups that no line of a member has brought along yet. */
  readonly #begun = new Map<string, EventLine>();

  constructor(verbose: boolean) {
    this.#verbose = verbose;
  }

  /** The first line of a member that stays brings its group's first line with it, so that it stands under something. */
  from({ type, data, path }: RunEvent, line: EventLine): readonly EventLine[] {
    if (type === "parallel_started" || type === "for_each_started")
      this.#begun.set(plainLineOf(nodePath(path, data.group_name)), line);
    if (type === "parallel_completed" || type === "for_each_completed")
      this.#begun.delete(plainLineOf(nodePath(path, data.group_name)));
    if (!this.#stays(line)) return [];
    const begun = line.group === undefined ? undefined : this.#begun.get(line.group);
    if (!begun) return [line];
    this.#begun.delete(line.group ?? "");
    return [begun, line];
  }

  /** What has just begun is in the tree; of many items that went well the group's count tells. */
  #stays({ weight }: EventLine): boolean {
    return weight === "always" || (this.#verbose && weight !== "begin");
  }
}
