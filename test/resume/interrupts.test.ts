// Ctrl-C: the first one stops the run and leaves it whole, the second one leaves at once; nothing of it stays behind.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { script, statuses, Workshop } from "./workshop.ts";

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));

/** Processes whose command line holds a word that nobody else has. */
const running = (word: string): string[] =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });

const slow = (how: string): string => `
workflow: { name: w, entry_point: first }
agents:
  - ${script("first", "routes: [{ to: slow }]")}
  - { name: slow, type: script, command: sh, args: ["-c", "${how}"], routes: [{ to: $end }] }
`;

test.skipIf(process.platform !== "linux")("once: the step is ended, the run can be resumed", async () => {
  const seconds = `700.${process.pid}`;
  const shop = new Workshop({ "main.yaml": slow(`echo slow >> marks; exec sleep ${seconds}`) });
  const child = shop.start(["run", "main.yaml"]);
  const end = ended(child);
  await until(() => running(`sleep\0${seconds}`).length > 0);
  child.kill("SIGINT");
  expect(await end).toBe(130);
  expect(running(`sleep\0${seconds}`)).toEqual([]);
  expect(shop.marks()).toEqual(["first", "slow"]);

  shop.write({ "main.yaml": slow("echo again >> marks") });
  const { result } = await shop.resume(undefined);
  expect(result.status).toBe("completed");
  expect(statuses(result)).toEqual({ first: "completed cached", slow: "completed" });
  expect(shop.marks()).toEqual(["again"]);
});

test.skipIf(process.platform !== "linux")("twice: it leaves at once, also when the step will not", async () => {
  const seconds = `701.${process.pid}`;
  const shop = new Workshop({
    "main.yaml": slow(`trap 'echo heard >> marks' TERM INT; echo slow >> marks; while true; do sleep ${seconds}; done`),
  });
  const child = shop.start(["run", "main.yaml"]);
  const end = ended(child);
  await until(() => running(`sleep\0${seconds}`).length > 0);
  child.kill("SIGINT");
  // The step heard of the first one, and goes on all the same.
  await until(() => shop.marks().includes("heard"));
  child.kill("SIGINT");
  expect(await end).toBe(130);
  await until(() => running(seconds).length === 0);

  shop.marks();
  shop.write({ "main.yaml": slow("echo again >> marks") });
  const { result } = await shop.resume(undefined);
  expect(result.status).toBe("completed");
  expect(shop.marks()).toEqual(["again"]);
});

test("a loop of steps that never wait hears it too", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: first, limits: { max_iterations: 100000 } }
agents:
  - ${script("first", "routes: [{ to: spin }]")}
  - { name: spin, type: set, value: 1, routes: [{ to: $end, when: "{{ context.iteration >= 99999 }}" }, { to: spin }] }
`,
  });
  const child = shop.start(["run", "main.yaml"]);
  const end = ended(child);
  let seen = 0;
  await until(() => {
    seen += shop.marks().length;
    return seen > 0;
  });
  child.kill("SIGINT");
  expect(await end).toBe(130);
});
