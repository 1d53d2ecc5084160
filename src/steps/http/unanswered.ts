// Why there is no answer, or none that can be used, with a code for each way.

export class Unanswered extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
