// Which visit an event is about: by its key, or, where it has none, the latest visit of its node.
import { nodePath } from "../key.ts";
import { newVisit, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];

export class VisitIndex {
  readonly #visits = new Map<string, VisitRecord>();
  /** By path and name. */
  readonly #latest = new Map<string, VisitRecord>();
  readonly #keepsHistory: boolean;

  constructor(keepsHistory: boolean) {
    this.#keepsHistory = keepsHistory;
  }

  /** By key, in the order in which they were first heard of. */
  get all(): ReadonlyMap<string, VisitRecord> {
    return this.#visits;
  }

  /** The visit of a key, made when it is first heard of. */
  at(path: Path, { key, agent_name }: { readonly key: string; readonly agent_name: string }): VisitRecord {
    let visit = this.#visits.get(key);
    if (!visit) {
      visit = newVisit({ key, node: agent_name, path }, this.#keepsHistory);
      this.#visits.set(key, visit);
    }
    return visit;
  }

  get(key: string | undefined): VisitRecord | undefined {
    return key === undefined ? undefined : this.#visits.get(key);
  }

  find(path: Path, key: string | undefined, node: string): VisitRecord | undefined {
    return key === undefined ? this.latest(path, node) : this.#visits.get(key);
  }

  latest(path: Path, node: string | null): VisitRecord | undefined {
    return node === null ? undefined : this.#latest.get(nodePath(path, node));
  }

  arrived(path: Path, node: string, visit: VisitRecord): void {
    this.#latest.set(nodePath(path, node), visit);
  }
}
