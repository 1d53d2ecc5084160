// The command line in this process, for all that does not need a process of its own: signals, kills, plugins (which change
// the process that loads them) and servers on stdio do. Those start the program with test/support/program.ts.
import { vi } from "vitest";
import { main, type Terminal } from "../../src/cli/start.ts";

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

const faces = { mcp: () => import("../../src/mcp/index.ts"), server: () => import("../../src/server/index.ts") };

/**
 * What the program would print, and the code that it would end with. One at a time: what is written to the streams of this
 * process meanwhile counts as printed.
 */
export async function commandLine(args: readonly string[], { cwd, env }: Place): Promise<Ended> {
  const text = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof text): Terminal["streams"]["stdout"] => ({
    write: (part, done) => {
      text[name] += part;
      done?.();
    },
  });
  const streams = { stdout: sink("stdout"), stderr: sink("stderr") };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((part) => {
      text[name] += String(part);
      return true;
    }),
  );
  try {
    const code = await main(args, { version: "0.0.0-test", faces }, { env, cwd: () => cwd, streams });
    return { code, ...text };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
