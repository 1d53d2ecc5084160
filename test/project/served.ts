// A `segno serve` of a project in a process of its own, and somebody who has signed in to it.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { PROGRAM } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { Workshop } from "./workshop.ts";

export interface Served {
  readonly child: ChildProcess;
  /** All that it said on stderr. */
  readonly said: () => string;
  /** Gives the run's id. */
  begin(file: string): Promise<string>;
  ended(run: string, status: string): Promise<void>;
}

export async function served(work: Workshop): Promise<Served> {
  const child = spawn(process.execPath, [PROGRAM, "serve", "--port", "0"], {
    cwd: work.dir,
    env: work.env(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const said = () => lines.join("\n");
  const address = () => /(http:\/\/[^/]+)\/#token=(\S+)/.exec(said());
  await until(() => address() !== null);
  const [, url = "", token] = address() ?? [];
  let session = "";
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: {
        "content-type": "application/json",
        origin: url,
        "idempotency-key": crypto.randomUUID(),
        ...(session === "" ? {} : { authorization: `Bearer ${session}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await answer.json()) as Readonly<Record<string, string>>;
  };
  session = (await ask("/api/session", { token })).session ?? "";
  return {
    child,
    said,
    begin: async (file) => (await ask("/api/runs", { file, inputs: {} })).run_id ?? "",
    ended: async (run, status) => {
      await until(async () => (await ask(`/api/runs/${run}/result`)).status === status);
    },
  };
}
