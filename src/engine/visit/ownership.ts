// Whether the run is still this process's, as one attempt asks: right before it touches anything outside.

export class Ownership {
  readonly #look: () => undefined | Promise<void>;
  #lost: { readonly problem: unknown } | undefined;

  constructor(look: () => undefined | Promise<void>) {
    this.#look = look;
  }

  /** Nothing when it surely is; else a promise, which fails when it is not. */
  readonly ask = (): undefined | Promise<void> =>
    this.#look()?.catch((problem: unknown) => {
      this.#lost ??= { problem };
      throw problem;
    });

  /** Throws when an answer was no: the attempt then has no outcome, whatever the work made of that answer. */
  require(): void {
    if (this.#lost) throw this.#lost.problem;
  }
}
