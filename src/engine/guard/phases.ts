// How far a workflow is in its phases, and how well each went: what `phase_gate` asks.

interface Tally {
  /** The latest end of each step, or of each item, of the phase. */
  readonly ends: Map<string, boolean>;
}

export class Phases {
  #current: string | undefined;
  readonly #tallies = new Map<string, Tally>();

  get current(): string | undefined {
    return this.#current;
  }

  /** A step of the phase may run. */
  enter(phase: string): void {
    this.#current = phase;
  }

  /** A step or item ended. One that raised counts as failed, whoever recovered it; one that runs again counts anew. */
  ended(phase: string, id: string, ok: boolean): void {
    const tally = this.#tallies.get(phase) ?? { ends: new Map<string, boolean>() };
    this.#tallies.set(phase, tally);
    tally.ends.set(id, ok);
  }

  get counts(): { readonly completed: number; readonly failed: number } {
    const ends = [...(this.#tallies.get(this.#current ?? "")?.ends.values() ?? [])];
    const completed = ends.filter(Boolean).length;
    return { completed, failed: ends.length - completed };
  }
}
