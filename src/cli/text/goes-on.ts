// Of a run that somebody else drives: to leave it does not stop it.
import type { Reader } from "../../results/reader.ts";

export const goesOn = (run: string, reader: Reader): string =>
  `The run goes on. To stop it: ${reader.ask({ to: "cancel", run })}`;
