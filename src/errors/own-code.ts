// Mistakes in code that a user of the library wrote: a step type, a provider, an `ask`. They are no defects of Segno, and
// say whose they are.
import { type Raised, raised } from "./envelope.ts";

/** `code` says which code it is: "`execute` of the step type shout". */
export const ownCodeFault = (code: string, message: string, problem?: unknown): Raised =>
  raised("internal.step_error", message, {
    exception_type: problem instanceof Error ? problem.name : null,
    own_code: code,
  });

/** Thrown where such a mistake has to cross code that knows nothing of it; becomes the step's error as it is. */
export class OwnCodeFault extends Error {
  constructor(readonly raised: Raised) {
    super(raised.message);
    this.name = "OwnCodeFault";
  }
}
