// Workflows in TypeScript: the same definition as a file's, with functions as steps.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createSegno, type Segno } from "../../src/index.ts";
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
} from "../../src/library/workflow/index.ts";

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
});
