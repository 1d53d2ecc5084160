// Commands of a fleet: many machines that share one Postgres.
import type { CommandSpec } from "../command.ts";
import { ON } from "./everywhere.ts";

export const FLEET_COMMANDS: readonly CommandSpec[] = [
  {
    name: "worker",
    summary: "drive the runs of a fleet",
    about:
      "Takes runs that were started with --on, any number of workers on any number of machines. On SIGTERM or Ctrl-C it takes nothing more, lets steps end (30 s), and leaves the rest to the others. In a trusted project it also drives the project's triggers.",
    options: [
      ON,
      { flags: "--cell <name>", about: "of a fleet that is made of cells: the one that it serves" },
      { flags: "--concurrency <n>", about: "how many runs at a time (default 8)", atLeast: 1 },
      { flags: "--id <name>", about: "a name for lists (default: host and process)" },
      {
        flags: "--port <n>",
        about:
          "take webhooks at /hooks/… and serve metrics at /metrics there, with SEGNO_SERVE_TOKEN (default: neither)",
        atLeast: 0,
      },
      { flags: "--host <address>", about: "where to listen (default 127.0.0.1)" },
    ],
    examples: [
      { line: "segno worker --on postgres://segno@db/segno", about: "until it is stopped" },
      { line: "segno worker --host 0.0.0.0 --port 9464", about: "with webhooks and metrics" },
    ],
    load: async () => (await import("../commands/worker.ts")).default,
  },
  {
    name: "workers",
    summary: "list the workers of a fleet, and what each holds",
    options: [ON],
    examples: [{ line: "segno workers --on postgres://segno@db/segno", about: "who is there, and what waits" }],
    needsNoPlugin: true,
    load: async () => (await import("../commands/workers.ts")).workers,
  },
  {
    name: "workers drain",
    summary: "ask a worker to hand over what it drives, and to leave",
    arguments: [{ name: "id", about: "a worker's id, or its first characters", required: true }],
    options: [ON],
    examples: [
      { line: "segno workers drain build-7 --on postgres://segno@db/segno", about: "before its machine goes" },
    ],
    needsNoPlugin: true,
    load: async () => (await import("../commands/workers.ts")).workersDrain,
  },
];
