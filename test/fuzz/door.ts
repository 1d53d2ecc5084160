// A door that others write to, tried with thousands of inputs: real ones with random edits, and plain noise. Whatever comes in,
// nothing throws but what the door may throw, and nothing takes long. A failure names its seed and its input:
//
//   SEGNO_FUZZ_RUNS=100000 npx vitest run test/fuzz
//   SEGNO_FUZZ_SEED=-1234 SEGNO_FUZZ_RUNS=100000 npx vitest run test/fuzz/journal.test.ts
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../support/property-runs.ts";

/** Inputs for a door whose inputs cost nothing; those that cost more take a share of it. */
const RUNS = Number(process.env.SEGNO_FUZZ_RUNS ?? runs(1000));
const SEED = process.env.SEGNO_FUZZ_SEED;
/** Of the processor: a machine that has much to do besides makes no input slow. */
const LONGEST_CPU_MS = 5000;
/** By the clock, for whoever waits without working. */
const LONGEST_WAIT_MS = 60_000;
/** A long run is given its time; one of `npm test` is not. */
const TIMEOUT_MS = 60_000 + RUNS * 100;

export interface Door<Input> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** How many times fewer inputs are tried. */
  readonly costs?: number;
  readonly enter: (input: Input) => unknown;
}

export function fuzz<Input>({ name, inputs, costs = 1, enter }: Door<Input>): void {
  test(
    name,
    async () => {
      let tried = 0;
      const began = performance.now();
      const property = fc.asyncProperty(inputs, async (input) => {
        tried += 1;
        const before = process.cpuUsage();
        const said = textOf(await enter(input));
        const { user, system } = process.cpuUsage(before);
        expect((user + system) / 1000, "milliseconds of the processor").toBeLessThan(LONGEST_CPU_MS);
        expect(said).not.toMatch(/itself failed|a defect in Segno|\n\s+at .+:\d+:\d+/);
      });
      const seed = SEED === undefined ? {} : { seed: Number(SEED) };
      const numRuns = Math.max(1, Math.ceil(RUNS / costs));
      await fc.assert(property, { numRuns, timeout: LONGEST_WAIT_MS, ...seed });
      process.stderr.write(`fuzz: ${name}: ${tried} inputs in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    },
    TIMEOUT_MS,
  );
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
};

/** What has broken readers before: other types, other levels, ends of things, names that objects have. */
const PIECES: readonly string[] = [
  ...["null", "true", "-1", "1e999", '""', "{}", "[]", "{", "}", "[", "]", ":", ",", '"', "'", "\\", "\n", "\t", "\r"],
  ...[
    "~",
    "|",
    ">",
    "&a",
    "*a",
    "<<: *a",
    "!file x",
    "---",
    "#",
    "?",
    "- ",
    "  ",
    "@",
    "%",
    "\u0000",
    "\ud800",
    "\ufeff",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "toJSON",
    "$blob",
    "{{",
    "}}",
    "{%",
    "%}",
    "${X}",
  ],
  ...[
    "{{ 1 // 0 }}",
    "{{ range(9999999) | list }}",
    "{{ 'x' * 99999999 }}",
    "{{ a.b.c }}",
    "[".repeat(600),
    "{a: ".repeat(200),
  ],
  ...[
    '{"$blob":"sha256:0"}',
    "9".repeat(400),
    "x".repeat(5000),
    "\u202e",
    "2026-01-01",
    "0x1F",
    "1:2",
    "=",
    "=-",
    "--",
    "-i",
  ],
];

interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly piece: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  piece: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: "binary", maxLength: 12 })),
});

const edited = (text: string, edits: readonly Edit[]): string =>
  edits.reduce((now, { at, cut, piece }) => {
    const place = Math.floor(at * now.length);
    return now.slice(0, place) + piece + now.slice(place + cut);
  }, text);

/** One of the texts with some edits, or noise. */
export const textsLike = (...texts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.constantFrom(...texts), fc.array(edit, { maxLength: 4 }))
        .map(([text, edits]) => edited(text, edits)),
    },
    fc.string({ unit: "binary", maxLength: 200 }),
  );

/** Any JSON, also with names that objects have. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }),
  fc.dictionary(fc.constantFrom("__proto__", "kind", "message", "details", "text", "type", "content"), fc.jsonValue()),
  // As deep as any door lets in.
  fc.integer({ min: 1, max: 450 }).map((levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown),
);
