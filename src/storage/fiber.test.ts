// Places in groups: a branch that waits gives its place to another, and needs one again to go on.
import { expect, it } from "vitest";
import type { Fiber } from "../engine/fiber.ts";
import { VirtualClock } from "./clock.ts";
import { DriveFiber } from "./fiber.ts";
import { slidingPool } from "./pool.ts";

/** Lets everything happen that waits for nothing outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

class Scene {
  readonly log: string[] = [];
  readonly root = new DriveFiber(undefined, () => this.log.push(`root waits for ${this.root.waitsFor ?? "nothing"}`));

  group(
    names: readonly string[],
    concurrency: number,
    body: (name: string, fiber: Fiber) => Promise<void>,
    fiber: Fiber,
  ) {
    return slidingPool(
      names,
      async (name, _, own) => {
        this.log.push(`${name} begins`);
        await body(name, own!);
        this.log.push(`${name} ends`);
      },
      { concurrency, signal: new AbortController().signal, stopsOthers: () => false, fiber },
    );
  }
}

it("is given to the next branch while one waits, and to one that waited before one that has not begun", async () => {
  const scene = new Scene();
  const { log, root } = scene;
  const gates = { a: gate(), b: gate(), c: gate() };
  const running = gate();
  const ended = scene.group(
    ["a", "b", "c"],
    1,
    async (name, fiber) => {
      if (name === "a") await fiber.waiting("person", () => gates.a.opened);
      else await running.opened;
    },
    root,
  );
  await settled();
  expect(log.splice(0)).toEqual(["a begins", "b begins"]);
  gates.a.open();
  await settled();
  expect(log.splice(0)).toEqual([]);
  running.open();
  await ended;
  expect(log).toEqual(["b ends", "a ends", "c begins", "c ends"]);
});

it("of an outer group is given away while all branches of an inner one wait", async () => {
  const scene = new Scene();
  const { log, root } = scene;
  const answers = { x: gate(), y: gate() };
  const ended = scene.group(
    ["one", "two"],
    1,
    async (name, fiber) => {
      if (name === "two") return;
      await scene.group(
        ["x", "y"],
        2,
        (inner, own) => own.waiting("person", () => answers[inner as "x" | "y"].opened),
        fiber,
      );
    },
    root,
  );
  await settled();
  expect(log.splice(0)).toEqual([
    "one begins",
    "x begins",
    "y begins",
    "two begins",
    "two ends",
    "root waits for person",
  ]);
  answers.y.open();
  await settled();
  expect(log.splice(0)).toEqual(["root waits for nothing", "y ends", "root waits for person"]);
  answers.x.open();
  await ended;
  expect(log).toEqual(["root waits for nothing", "x ends", "one ends"]);
});

it("is at rest only when nobody's wait ends by itself", async () => {
  const scene = new Scene();
  const { log, root } = scene;
  const [answer, time] = [gate(), gate()];
  const ended = scene.group(
    ["asks", "sleeps"],
    2,
    (name, fiber) =>
      name === "asks"
        ? fiber.waiting("person", () => answer.opened)
        : fiber.waiting("clock", () => time.opened).then(() => fiber.waiting("person", () => answer.opened)),
    root,
  );
  await settled();
  time.open();
  await settled();
  expect(log.splice(0)).toEqual([
    "asks begins",
    "sleeps begins",
    "root waits for clock",
    "root waits for nothing",
    "root waits for person",
  ]);
  answer.open();
  await ended;
});

it("does not stop a group when one of its branches fails", async () => {
  const { root } = new Scene();
  const failing = slidingPool(["a", "b"], async (name) => Promise.reject(new Error(name)), {
    concurrency: 1,
    signal: new AbortController().signal,
    stopsOthers: () => false,
    fiber: root,
  });
  await expect(failing).rejects.toThrow("a");
});

it("has a time of its own, which stands still while it waits", async () => {
  const clock = new VirtualClock(0);
  const fiber = new DriveFiber(undefined);
  const times: number[] = [];
  fiber.time(clock).afterBeside(1_000, () => times.push(clock.now()));
  await clock.sleep(400);
  await fiber.waiting("person", () => clock.sleep(5_000));
  await clock.sleep(5_000);
  expect(times).toEqual([6_000]);
});
