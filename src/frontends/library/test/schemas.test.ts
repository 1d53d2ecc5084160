// Schemas of other libraries, wherever a schema is taken: those that say their JSON Schema (zod, arktype), and those that
// do not (valibot).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type } from "arktype";
import * as v from "valibot";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  createSegno,
  defineGrader,
  defineProvider,
  defineStep,
  type JsonSchema,
  type OwnStep,
  succeeded,
} from "../../../index.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-schemas-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const here = { store: join(folder, ".home"), cwd: folder, env: { PATH: process.env.PATH } };

const said = ({ text, times = 1 }: { text: string; times?: number | undefined }) => succeeded(text.repeat(times));
const COMMON = { type: "shout", description: "says it louder" };

/** The handler's argument has the schema's type: each compiles only with it. */
const SHOUTS: Readonly<Record<string, OwnStep>> = {
  zod: defineStep({
    ...COMMON,
    schema: z.object({ text: z.string().min(2), times: z.number().default(2) }),
    execute: (values) => {
      expectTypeOf(values).toEqualTypeOf<{ text: string; times: number }>();
      return said(values);
    },
  }),
  valibot: defineStep({
    ...COMMON,
    schema: v.object({ text: v.pipe(v.string(), v.minLength(2)), times: v.optional(v.number(), 2) }),
    execute: (values) => {
      expectTypeOf(values).toEqualTypeOf<{ text: string; times: number }>();
      return said(values);
    },
  }),
  arktype: defineStep({
    ...COMMON,
    schema: type({ text: "string >= 2", times: "number = 2" }),
    execute: (values) => {
      expectTypeOf(values).toEqualTypeOf<{ text: string; times: number }>();
      return said(values);
    },
  }),
  "JSON Schema": defineStep({
    ...COMMON,
    schema: {
      type: "object",
      properties: { text: { type: "string", minLength: 2 }, times: { type: "number", default: 2 } },
      required: ["text"],
    },
    execute: (values) => {
      expectTypeOf(values).toEqualTypeOf<{ readonly text: string; readonly times: number }>();
      return said(values);
    },
  }),
};

const flow = (fields: string): string => {
  const name = `${fields.replace(/\W+/g, "-")}.yaml`;
  writeFileSync(
    join(folder, name),
    `workflow: { name: w, entry_point: a, input: { who: { type: string, default: kim } } }
steps: [{ name: a, type: shout, ${fields} }]
output: { said: "{{ a.output }}" }
`,
  );
  return name;
};

describe.each(Object.keys(SHOUTS))("a step by a schema of %s", (vendor) => {
  const segno = createSegno({ ...here, steps: [SHOUTS[vendor] as OwnStep] });

  it("is given what the schema makes of its rendered fields", async () => {
    const file = flow('text: "{{ workflow.input.who }}"');
    expect((await segno.workflows.validate(file)).status).toBe("valid");
    expect((await segno.run(file)).output).toEqual({ said: "kimkim" });
  });

  it("is refused with a sentence for what does not fit: before the run where the schema can say so, else in it", async () => {
    const { status, errors } = await segno.run(flow("text: hello, times: many"));
    const [first] = errors;
    if (vendor === "valibot") {
      expect([status, first?.kind, first?.message]).toEqual([
        "failed",
        "shout.invalid",
        'times: Invalid type: Expected number but received "many"',
      ]);
    } else {
      expect([status, first?.message]).toEqual(["invalid", expect.stringContaining("times")]);
    }
  });

  it("knows each field before the run, where the schema can say so; else any may be there", async () => {
    const { status } = await segno.workflows.validate(flow("text: hello, tmes: 3"));
    expect(status).toBe(vendor === "valibot" ? "valid" : "invalid");
  });
});

const LIMITS: Readonly<Record<string, z.ZodType | v.GenericSchema | ReturnType<typeof type> | JsonSchema>> = {
  zod: z.object({ most: z.number() }),
  valibot: v.object({ most: v.number() }),
  arktype: type({ most: "number" }),
  "JSON Schema": { type: "object", properties: { most: { type: "number" } }, required: ["most"] },
};

it.each(Object.keys(LIMITS))("a grader reads its options by a schema of %s", async (vendor) => {
  const row = { output: "abc" } as never;
  const grader = defineGrader({
    name: "short",
    schema: LIMITS[vendor] as JsonSchema,
    grade: ({ output }, { most }) => String(output).length <= Number(most),
  });
  expect(await grader.grade(row, { most: 3 })).toEqual({ passed: true });
  expect(await grader.grade(row, { most: 2 })).toEqual({ passed: false });
  await expect(grader.grade(row, { most: "x" })).rejects.toThrow(/`with` of the grader short: most/);
});

it("a grader gives true or false, a score, or a verdict, and is told of anything else", async () => {
  const graded = (verdict: unknown) =>
    defineGrader({ name: "own", grade: () => verdict as never }).grade({} as never, {});
  expect(await graded(0.4)).toEqual({ passed: false, score: 0.4 });
  expect(await graded({ passed: true, score: 1, reason: "short" })).toEqual({
    passed: true,
    score: 1,
    reason: "short",
  });
  for (const wrong of ["yes", null, {}, { passed: 1 }])
    await expect(graded(wrong)).rejects.toThrow(
      /`grade` of the grader own gave .*; it must give true or false, a score/,
    );
});

it("a provider reads what the file says beside its name by a schema", async () => {
  const provider = defineProvider({
    name: "parrot",
    schema: v.object({ base_url: v.pipe(v.string(), v.url()) }),
    call: ({ settings }) => {
      expectTypeOf(settings).toEqualTypeOf<{ base_url: string }>();
      return { text: settings.base_url };
    },
  });
  const segno = createSegno({ ...here, providers: [provider] });
  const talk = (settings: string): string => {
    writeFileSync(
      join(folder, "talk.yaml"),
      `workflow: { name: talk, entry_point: a, runtime: { provider: { name: parrot${settings} } } }
steps: [{ name: a, prompt: hello }]
output: { text: "{{ a.output.result }}" }
`,
    );
    return "talk.yaml";
  };
  expect((await segno.run(talk(', base_url: "https://api.example.com/"'))).output).toEqual({
    text: "https://api.example.com/",
  });
  expect((await segno.run(talk(""))).error).toMatchObject({
    kind: "provider.rejected",
    message: expect.stringContaining("base_url"),
  });
});
