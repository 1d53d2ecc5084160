// Workflows in TypeScript: the same definition as a file's, with functions as steps.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import {
  defineWorkflow,
  forEach,
  gate,
  parallel,
  raise,
  ref,
  script,
  set,
  step,
  terminate,
  workflow,
} from "../../../features/typescript/library/index.ts";
import { createSegno, type Segno } from "../../../index.ts";
import { DEFINED, type Definition } from "../../../services/own-steps/definition.ts";
import { PATIENCE_MS } from "../../../services/own-steps/own-step.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-builder-"));
let segno: Segno;
beforeAll(() => {
  segno = createSegno({ store: join(folder, "home"), cwd: folder, env: { PATH: process.env.PATH } });
});
afterAll(async () => {
  await segno.close();
  rmSync(folder, { recursive: true, force: true });
});

const child = defineWorkflow({ name: "pack", input: z.object({ version: z.string() }) })
  .step(
    "zip",
    step(({ input }) => ({ file: `${input.version}.zip`, sizes: [1, 2] })),
  )
  .output(({ steps }) => ({ file: steps.zip.output.file, sizes: steps.zip.output.sizes }));

let broken = 0;
const release = defineWorkflow({
  name: "release",
  input: z.object({ version: z.string(), dry: z.boolean().default(false) }),
  limits: { max_iterations: 30 },
})
  .step(
    "build",
    step(
      async ({ input, raise: fail }) => {
        if (broken-- > 0) fail("build.broken", "not yet", { left: broken });
        return { url: `http://x/${input.version}`, parts: ["a", "b"], major: 1 };
      },
      { raises: ["build.broken"] },
    ),
  )
  .step("pack", ({ steps, input }) => workflow(child, { version: `${steps.build.output.major}.${input.version}` }))
  .step("checks", ({ steps }) =>
    parallel({
      one: step({
        input: { url: steps.build.output.url, text: `${steps.build.output.major}.0` },
        run: ({ input }) => input,
      }),
      two: set({ a: steps.build.output.parts[1] }),
    }),
  )
  .step("each", ({ steps }) =>
    forEach(steps.build.output.parts, ({ item }) =>
      step({ input: { item }, run: ({ input }) => input.item.toUpperCase() }),
    ),
  )
  .routes(({ build, pack, checks, each, end }) => [
    build.to(pack),
    build.on("build.broken").retry({ max: 2, initial_seconds: 0 }),
    pack.to(checks),
    checks.to(each),
    each.to(end),
  ])
  .output(({ steps, input }) => ({
    url: steps.build.output.url,
    file: steps.pack.output.file,
    one: steps.checks.outputs.one,
    a: steps.checks.outputs.two.a,
    each: steps.each.outputs,
    tag: `v${input.version}`,
    minor: `${steps.build.output.major}.0`,
  }));

describe("routes of a group's members", () => {
  it("try a member again, and the step of each item", async () => {
    const called: string[] = [];
    const once = (name: string) => {
      called.push(name);
      if (called.filter((one) => one === name).length === 1) raise("site.busy", name);
      return { name };
    };
    const retried = defineWorkflow({ name: "retried" })
      .step("list", set({ sites: ["x", "y"] }))
      .step(
        "checks",
        parallel({
          one: step(() => once("one"), { raises: ["site.busy"] }),
          two: step(() => once("two"), { raises: ["site.busy"] }),
        }),
      )
      .step("each", ({ steps }) =>
        forEach(steps.list.output.sites, ({ item }) =>
          step({ input: { item }, run: ({ input }) => once(input.item), raises: ["site.busy"] }),
        ),
      )
      .routes(({ list, checks, each, end }) => [
        list.to(checks),
        checks.members.one.on("site.busy").retry({ max: 1, initial_seconds: 0 }),
        checks.members.two.on("site.*").when("attempts == 1").retry({ max: 1, initial_seconds: 0 }),
        checks.to(each),
        each.item.on("*").retry({ max: 1, initial_seconds: 0 }),
        each.to(end),
      ])
      .output(({ steps }) => ({ one: steps.checks.outputs.one.name, each: steps.each.outputs }));
    const result = await segno.run(retried);
    expect(result.error?.message).toBeUndefined();
    expect(result.output).toEqual({ one: "one", each: [{ name: "x" }, { name: "y" }] });
    expect(called.sort()).toEqual(["one", "one", "two", "two", "x", "x", "y", "y"]);
  });
});

describe("a definition", () => {
  it("runs with typed inputs and a typed output", async () => {
    broken = 1;
    const result = await segno.run(release, { inputs: { version: "1.2.0" } });
    expect(result.error?.message).toBeUndefined();
    expect(result.output).toEqual({
      url: "http://x/1.2.0",
      file: "1.1.2.0.zip",
      one: { url: "http://x/1.2.0", text: "1.0" },
      a: "b",
      each: ["A", "B"],
      tag: "v1.2.0",
      minor: "1.0",
    });
    if (result.status === "completed")
      expectTypeOf(result.output).toEqualTypeOf<{
        url: string;
        file: string;
        one: { url: string; text: string };
        a: string | undefined;
        each: readonly string[];
        tag: string;
        minor: string;
      }>();
  });

  it("is checked, listed and drawn like a file, and its findings are about its steps", async () => {
    expect((await segno.workflows.validate(release)).errors).toEqual([]);
    const { steps } = await segno.workflows.errors(release);
    expect(steps[0]?.raises.map(({ kind }) => kind)).toContain("build.broken");
    expect((await segno.workflows.graph(release)).graph).toContain("build · function");
    const odd = defineWorkflow({ name: "odd" }).step("one", set({ a: "{{ nowhere.output.x }}" }));
    expect((await segno.workflows.validate(odd)).errors).toMatchObject([{ rule: "unknown-reference", nodeId: "one" }]);
  });

  it("is resumed by its functions: what has ended is not called again, unless its version is another", async () => {
    const calls: string[] = [];
    let isFixed = false;
    const flaky = (version: number) =>
      defineWorkflow({ name: "flaky" })
        .step(
          "first",
          step(() => void calls.push("first"), { version }),
        )
        .step(
          "second",
          step(
            () => {
              calls.push("second");
              return isFixed ? { ok: true } : raise("second.failed", "not yet");
            },
            { raises: ["second.failed"] },
          ),
        )
        .output(({ steps }) => ({ ok: steps.second.output.ok }));
    const client = () => createSegno({ store: join(folder, "home"), cwd: folder, workflows: [flaky(1)] });
    const failed = await client().run(flaky(1));
    expect([failed.status, failed.error?.kind]).toEqual(["failed", "second.failed"]);
    const other = createSegno({ store: join(folder, "home"), cwd: folder, workflows: [flaky(2)] });
    expect((await other.runs.resume(failed.runId ?? "")).status).toBe("failed");
    isFixed = true;
    // Another process would have a client of its own, and has run nothing yet.
    expect(await client().runs.resume(failed.runId ?? "")).toMatchObject({ status: "completed", output: { ok: true } });
    expect(calls).toEqual(["first", "second", "first", "second", "first", "second"]);
    expect(await client().runs.resume(failed.runId ?? "")).toMatchObject({ status: "completed" });
    expect(calls).toHaveLength(6);
  });

  it("that is defined anew for each run takes the place of the one before", async () => {
    const read: number[] = [];
    const anew = (n: number): Definition => {
      const defined = defineWorkflow({ name: "anew" }).step(
        "give",
        step(() => n),
      );
      return {
        get [DEFINED]() {
          read.push(n);
          return defined[DEFINED];
        },
      };
    };
    for (const n of [1, 2, 3]) {
      read.length = 0;
      expect((await segno.run(anew(n))).status).toBe("completed");
      expect(new Set(read)).toEqual(new Set([n]));
    }
  });

  it("meets what its functions throw as an error of the step", async () => {
    const broken = defineWorkflow({ name: "broken" }).step(
      "one",
      step((): string => {
        throw new Error("no disk");
      }),
    );
    expect((await segno.run(broken)).error).toMatchObject({
      kind: "internal.step_error",
      message: expect.stringContaining("the function of the step one threw: no disk"),
    });
  });

  it("says of values that cannot be read that its function gave them, and waits for anything that has a then", async () => {
    const unreadable = [
      () => ({
        get broken(): number {
          throw new Error("no");
        },
      }),
      () => new Proxy({}, { ownKeys: () => [][0] as never }),
    ];
    for (const run of unreadable) {
      const { error } = await segno.run(defineWorkflow({ name: "odd" }).step("give", step(run)));
      expect(error).toMatchObject({ kind: "internal.step_error", message: expect.stringContaining("the function of") });
    }
    const later = { then: (done: (value: number) => void) => done(3) } as PromiseLike<number>;
    const { output } = await segno.run(
      defineWorkflow({ name: "later" })
        .step(
          "give",
          step(() => later),
        )
        .output(({ steps }) => ({ given: steps.give.output })),
    );
    expect(output).toEqual({ given: 3 });
  });

  it("is cancelled, and its client closed, also while a function does not heed its signal", async () => {
    const client = createSegno({ store: join(folder, "home"), cwd: folder });
    let isCalled: () => void = () => {};
    const called = new Promise<void>((resolve) => (isCalled = resolve));
    const deaf = defineWorkflow({ name: "deaf" }).step(
      "sleep",
      step(() => {
        isCalled();
        return new Promise<never>(() => {});
      }),
    );
    const run = await client.start(deaf);
    await called;
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const cancelled = run.cancel();
      await vi.advanceTimersByTimeAsync(PATIENCE_MS);
      vi.useRealTimers();
      expect((await cancelled).status).toBe("cancelled");
    } finally {
      vi.useRealTimers();
    }
    await client.close();
  });

  it("asks through gates, and leads on by what was chosen", async () => {
    const asking = defineWorkflow({ name: "asking" })
      .step("may", gate({ prompt: "May we?", options: { yes: "Yes", no: "No" } }))
      .step("stop", terminate({ status: "failed", reason: "no", output_template: { said: "no" } }))
      .step("go", script({ command: "echo", args: ["gone"] }))
      .routes(({ may, go, stop, end }) => [may.chose("yes").to(go), may.chose("no").to(stop), go.to(end)]);
    const said = async (value: string) =>
      (await segno.run(asking, { ask: async () => ({ kind: "gate", value }) as never })).status;
    expect([await said("yes"), await said("no")]).toEqual(["completed", "terminated"]);
  });
});

describe("a reference", () => {
  const base = defineWorkflow({ name: "w" }).step(
    "build",
    step(() => ({ url: "x", list: [1] })),
  );
  // biome-ignore lint/suspicious/noExplicitAny: as a program without types would have it
  type Names = any;
  type Loose = { step(name: string, make: (names: Names) => unknown): unknown };
  const refused = (make: (names: Names) => unknown) => () => (base as unknown as Loose).step("next", make);

  it("becomes a template, also for names that are no words", () => {
    expect(`${ref("a.output")}/${(ref("b") as Names)[0]["x y"]}`).toBe('{{ a.output }}/{{ b[0]["x y"] }}');
  });

  it.each<[string, (names: Names) => unknown, string]>([
    ["called", ({ steps }) => steps.build.output.url.trim(), "build.output.url.trim is called while"],
    ["computed with", ({ steps }) => steps.build.output.list[0] * 2, "build.output.list[0] is computed with"],
    ["iterated over", ({ steps }) => [...steps.build.output.list], "build.output.list is iterated over"],
    ["spread", ({ steps }) => ({ ...steps.build.output }), "build.output is spread or listed"],
    ["looked into", ({ steps }) => "url" in steps.build.output, "build.output is looked into"],
    [
      "of a step that is not there",
      ({ steps }) => steps.biuld.output,
      "there is no step biuld before this one. Did you mean",
    ],
    ["no step", () => ({ type: "http" }), "the step next of w is none: make it with step, agent"],
    ["a class", () => set({ when: new Date() as never }), "set.values.when is an object of a class"],
    ["no list", () => forEach([1] as never, () => set({})), "forEach takes a reference to a list"],
  ])("that is %s is refused with a sentence", (_, make, sentence) => {
    expect(refused(make)).toThrow(TypeError);
    expect(refused(make)).toThrow(sentence);
  });

  it("of a schema that a workflow cannot say is refused", () => {
    const input = z.object({ either: z.union([z.string(), z.number()]) });
    const odd = defineWorkflow({ name: "odd", input }).step("one", set({ a: 1 }));
    return expect(segno.run(odd, { inputs: { either: 1 } })).rejects.toThrow(
      "`either` of `input` of the workflow odd has no single type",
    );
  });
});
