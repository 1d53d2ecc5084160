// Which visit an event is about: by its key, or, where it has none, the latest visit of its node.
import { nodePath } from "../key.ts";
import { SettledVisits } from "./settled-visits.ts";
import { newVisit, type VisitRecord } from "./visit-record.ts";

type Path = readonly string[];

export class VisitIndex {
  /** A number is the place of one that is settled. */
  readonly #visits = new Map<string, VisitRecord | number>();
  /** Keys, by path and name. */
  readonly #latest = new Map<string, string>();
  readonly #keepsHistory: boolean;
  readonly #settled: SettledVisits | undefined;
  /** The visit of the root's file that was arrived at last. */
  #present: VisitRecord | undefined;

  /** `settles`: visits that were left are kept in few bytes, if there is little to them. */
  constructor(keepsHistory: boolean, settles: boolean) {
    this.#keepsHistory = keepsHistory;
    this.#settled = settles ? new SettledVisits() : undefined;
  }

  /** By key, in the order in which they were first heard of. Where visits are settled it is made for this call. */
  get all(): ReadonlyMap<string, VisitRecord> {
    if (!this.#settled) return this.#visits as Map<string, VisitRecord>;
    return new Map([...this.#visits.keys()].map((key) => [key, this.shown(key)!]));
  }

  /** In the order in which they were first heard of. */
  keys(): Iterable<string> {
    return this.#visits.keys();
  }

  /** The visit of a key, made when it is first heard of. */
  at(path: Path, { key, agent_name }: { readonly key: string; readonly agent_name: string }): VisitRecord {
    let visit = this.get(key);
    if (!visit) {
      visit = newVisit({ key, node: agent_name, path }, this.#keepsHistory);
      this.#visits.set(key, visit);
    }
    return visit;
  }

  get(key: string | undefined): VisitRecord | undefined {
    if (key === undefined) return undefined;
    const known = this.#visits.get(key);
    if (typeof known !== "number") return known;
    const visit = this.#made(known, key);
    this.#visits.set(key, visit);
    return visit;
  }

  /** The same to look at: what is done to one that is settled is lost. */
  shown(key: string): VisitRecord | undefined {
    const known = this.#visits.get(key);
    return typeof known === "number" ? this.#made(known, key) : known;
  }

  #made = (place: number, key: string): VisitRecord => this.#settled!.at(place, key, []);

  find(path: Path, key: string | undefined, node: string): VisitRecord | undefined {
    return key === undefined ? this.latest(path, node) : this.get(key);
  }

  latest(path: Path, node: string | null): VisitRecord | undefined {
    return node === null ? undefined : this.get(this.#latest.get(nodePath(path, node)));
  }

  arrived(path: Path, node: string, visit: VisitRecord): void {
    this.#latest.set(nodePath(path, node), visit.key);
    if (!this.#settled || path.length > 0 || visit === this.#present) return;
    const left = this.#present;
    this.#present = visit.group === undefined ? visit : undefined;
    const place = left && this.#settled.settle(left);
    if (left && place !== undefined) this.#visits.set(left.key, place);
  }
}
