// The command line in this process, for all that does not need a process of its own: signals, kills, plugins (which change
// the process that loads them) and servers on stdio do. Those start the program with test/support/program.ts.
import { vi } from "vitest";
import { main, type Terminal } from "../../src/frontends/cli/start.ts";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd: string;
  /** The whole environment: nothing of this process's own is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command that goes on while the test does. */
export interface Underway {
  /** Its answer so far, on stdout. */
  readonly answer: () => string;
  /** What it has said beside that so far, on stderr. */
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

const faces = {
  lsp: () => import("../../src/features/editor/server/index.ts"),
  mcp: () => import("../../src/frontends/mcp/index.ts"),
  server: () => import("../../src/frontends/server/index.ts"),
};
const STREAMS = ["stdout", "stderr"] as const;

class Text {
  stdout = "";
  stderr = "";
  /** Both, in the order in which they were written. */
  both = "";

  add(name: (typeof STREAMS)[number], part: string): void {
    this[name] += part;
    this.both += part;
  }
}

const sinkOf = (text: Text, name: (typeof STREAMS)[number]): Terminal["streams"]["stdout"] => ({
  write: (part, done) => {
    text.add(name, String(part));
    done?.();
  },
});

function carryOut(args: readonly string[], { cwd, env }: Place, text: Text): Promise<number> {
  const streams = { stdout: sinkOf(text, "stdout"), stderr: sinkOf(text, "stderr") };
  return main(args, { version: "0.0.0-test", faces }, { env, cwd: () => cwd, streams });
}

/** Begins a command, and does not wait for its end. As many at a time as the test likes. */
export function begin(args: readonly string[], place: Place): Underway {
  const text = new Text();
  return { answer: () => text.stdout, said: () => text.stderr, ended: carryOut(args, place, text) };
}

/**
 * What the program would print, and the code that it would end with. One at a time: what is written to the streams of this
 * process meanwhile counts as printed.
 */
export async function commandLine(args: readonly string[], place: Place): Promise<Ended> {
  const { code, text } = await alone(args, place);
  return { code, stdout: text.stdout, stderr: text.stderr };
}

/** The same with both streams as one, as somebody at a terminal reads them. */
export async function readTogether(args: readonly string[], place: Place): Promise<{ code: number; text: string }> {
  const { code, text } = await alone(args, place);
  return { code, text: text.both };
}

async function alone(args: readonly string[], place: Place): Promise<{ code: number; text: Text }> {
  const text = new Text();
  const spies = STREAMS.map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((part) => {
      text.add(name, String(part));
      return true;
    }),
  );
  try {
    return { code: await carryOut(args, place, text), text };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
