// Single key presses from the terminal.
import type { ReadStream } from "node:tty";

export interface Keys {
  /** The next key; nothing once there will be no more. */
  next(): Promise<string | undefined>;
  /** Gives the terminal back. */
  close(): void;
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

export const isLeaving = (key: string | undefined): boolean =>
  key === undefined || key === "q" || key === CTRL_C || key === CTRL_D;

export function keysFrom(stdin: ReadStream): Keys {
  const waiting: ((key: string | undefined) => void)[] = [];
  const typed: string[] = [];
  const hear = (chunk: Buffer): void => {
    const key = chunk.toString("utf8");
    const first = waiting.shift();
    if (first) first(key);
    else typed.push(key);
  };
  const end = (): void => {
    for (const resolve of waiting.splice(0)) resolve(undefined);
  };
  stdin.setRawMode(true);
  stdin.on("data", hear);
  stdin.once("end", end);
  stdin.resume();
  return {
    next: () => (typed.length > 0 ? Promise.resolve(typed.shift()) : new Promise((resolve) => waiting.push(resolve))),
    close() {
      stdin.off("data", hear);
      stdin.off("end", end);
      stdin.setRawMode(false);
      stdin.pause();
      end();
    },
  };
}
