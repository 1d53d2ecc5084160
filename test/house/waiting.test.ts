// Tests do not wait for time to pass: they move a clock, listen for a signal, or look until another process has done
// something (test/support/until.ts).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Files in which a timer is the thing that is played or tested, not a wait. */
const TIMERS_ON_PURPOSE: Readonly<Record<string, string>> = {
  "test/support/until.ts": "the one place that looks again and again",
  "test/fakes/server.ts": "a model that is slow, or cut off in the middle of an answer",
  "test/support/engine/attempt.ts": "the real clock of an attempt",
  "src/steps/http/run.test.ts": "a server that sends a few bytes now and then",
  "src/steps/process/run.test.ts": "watches a process from outside while it runs",
  "src/frontends/mcp/test/pool.test.ts": "servers that stay alive without doing anything",
  "src/storage/embedded/faults.test.ts": "a process that is stopped in the middle of a write",
  "test/resilience/decisions.test.ts": "a process that waits until it is killed",
  "src/frontends/page/api/connection.test.ts": "a server that is heard from now and then",
  "src/frontends/page/test/acts.test.ts": "a script that goes on until it is cancelled",
  "src/frontends/page/test/line.test.ts": "looks whether a clock stands still",
  "src/frontends/page/test/long-runs.ts": "events that come at a steady pace",
  "src/frontends/page/test/printed.test.ts": "a script that prints until it is told that it is enough",
  "src/features/fleet/test/plugins.test.ts": "plugins that end the program, or fail, from a timer",
  "test/project/definitions.test.ts": "a function step that is killed while it waits",
  "test/project/plugin-ends.test.ts": "plugins that end the program from a timer, or never stop",
  "test/project/plugin-faults.test.ts": "plugins whose timers fail, or never come to an end",
  "test/runs/secret-samples.test.ts": "a script that prints a secret in two pieces",
  "src/frontends/page/test/until-there.ts": "a script that goes on until a file is there",
  "src/frontends/page/test/moments.test.ts": "lets the page write its address before the next view",
};

const files = [
  ...readdirSync("test", { recursive: true, encoding: "utf8" }).map((file) => join("test", file)),
  ...readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file))
    .filter((file) => file.endsWith(".test.ts") || /^src\/\w+\/[\w-]+\/test\//.test(file)),
].filter((file) => file.endsWith(".ts") && file !== "test/house/waiting.test.ts");

const withTimers = files.filter((file) =>
  /\bset(Timeout|Interval)\(|timers\/promises|Atomics\.wait/.test(readFileSync(file, "utf8")),
);

it("has timers only where one is meant", () => {
  expect(withTimers.sort()).toEqual(Object.keys(TIMERS_ON_PURPOSE).sort());
});

it("gives no test a second try", () => {
  expect(readFileSync("vitest.config.ts", "utf8")).not.toMatch(/retry/);
  expect(files.filter((file) => /\{[^{}]*\bretry: \d+[^{}]*\}, (async )?\(/.test(readFileSync(file, "utf8")))).toEqual(
    [],
  );
});
