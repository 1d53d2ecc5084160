// Why a signal aborts that a person sent.

export class StoppedBy extends Error {
  constructor(readonly person: string) {
    super(`stopped by ${person}`);
  }
}
