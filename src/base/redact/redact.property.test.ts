// A planted secret never survives, whatever is built around it; the original and ordinary text are never changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/property-runs.ts";
import { createRedactor, REDACTED } from "./index.ts";

const secrets = fc
  .string({ minLength: 8, maxLength: 40, unit: "grapheme" })
  .filter((text) => text.trim().length >= 8 && !REDACTED.includes(text));

/** Every way in which a program writes a secret down, with a way to read it back. */
const encodings: readonly { readonly name: string; write(text: string): string; read(text: string): string }[] = [
  { name: "plain", write: (text) => text, read: (text) => text },
  { name: "JSON", write: (text) => JSON.stringify(text).slice(1, -1), read: (text) => text },
  { name: "URL", write: encodeURIComponent, read: (text) => text },
  {
    name: "base64",
    write: (text) => Buffer.from(text).toString("base64"),
    read: (text) => Buffer.from(text, "base64").toString(),
  },
  {
    name: "base64url",
    write: (text) => Buffer.from(text).toString("base64url"),
    read: (text) => Buffer.from(text, "base64url").toString(),
  },
];

const around = fc.string({ maxLength: 12 });

const nested = (leaf: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(fc.oneof(tie("node"), fc.jsonValue({ maxDepth: 1 })), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), tie("node"), { minKeys: 1, maxKeys: 3 }),
    ),
  })).node;

const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, entry]) => [key, ...textsIn(entry)])
      : [];

describe.each(encodings)("a secret written as $name", ({ write, read }) => {
  it("is never missed by a look at the JSON of what it stands in", () => {
    fc.assert(
      fc.property(
        fc.tuple(secrets, fc.nat(3), fc.constantFrom("secrets", "shortSecrets")).chain(([secret, cut, how]) =>
          fc.tuple(
            fc.constant([secret, how] as const),
            nested(
              fc.oneof(
                fc.tuple(around, around).map(([a, b]) => write(`${a}${secret}${b}`)),
                around.map((a) => `${a}${write(secret).slice(0, -1 - cut)}`),
                fc.constantFrom(secret.slice(0, 5), 482_163, 4821, "4821", "Bearer abc123def456"),
              ),
            ),
          ),
        ),
        ([[secret, how], value]) => {
          const short = how === "shortSecrets" ? ["4821", secret.slice(0, 5)] : [];
          const redactor = createRedactor({ secrets: ["482163", secret.slice(0, 5)], [how]: [secret, ...short] });
          if (!redactor.mayHide(JSON.stringify(value))) expect(redactor.value(value)).toBe(value);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("never survives in a text", () => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        const written = write(`${before}${secret}${after}`);
        const out = createRedactor({ secrets: [secret] }).text(written);
        expect(out).not.toContain(write(secret));
        expect(read(out)).not.toContain(secret);
      }),
      { numRuns: runs(500) },
    );
  });

  it("never survives in any nesting, and the original stays as it was", () => {
    fc.assert(
      fc.property(
        secrets.chain((secret) =>
          fc.tuple(fc.constant(secret), nested(fc.tuple(around, around).map(([a, b]) => write(`${a}${secret}${b}`)))),
        ),
        ([secret, value]) => {
          const before = structuredClone(value);
          for (const keys of ["redact", "author"] as const) {
            const out = createRedactor({ secrets: [secret] }).value(value, { keys });
            for (const text of textsIn(out)) expect(read(text)).not.toContain(secret);
          }
          expect(value).toEqual(before);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("never survives in any chunking", () => {
    fc.assert(
      fc.property(
        secrets,
        around,
        around,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (secret, before, after, sizes) => {
          const written = write(`${before}${secret}${after}`);
          const stream = createRedactor({ secrets: [secret] }).stream();
          let out = "";
          for (let at = 0, turn = 0; at < written.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            out += stream.push(written.slice(at, at + size));
            at += size;
          }
          out += stream.end();
          expect(out).not.toContain(write(secret));
          expect(read(out)).not.toContain(secret);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe("tokens in a stream", () => {
  const tokens = [
    "sk-ant-api03-AbCdEf0123456789",
    "ghp_0123456789abcdefABCDEF",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxIn0.c2lnbmF0",
  ];
  const block = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----";
  it.each([...tokens, `Bearer ${"x1".repeat(10)}`, block])("are caught wherever %j is cut", (token) => {
    const redactor = createRedactor({ secrets: ["unrelated-secret"] });
    const text = `so: ${token} .`;
    for (let a = 0; a <= text.length; a++)
      for (let b = a; b <= text.length; b++) {
        const stream = redactor.stream();
        const out =
          stream.push(text.slice(0, a)) + stream.push(text.slice(a, b)) + stream.push(text.slice(b)) + stream.end();
        expect(out).toBe(redactor.text(text));
      }
  });

  it("hold nothing back when nothing begins", () => {
    const stream = createRedactor({ secrets: ["zecret-value"] }).stream();
    expect(stream.push("building 3 of 4 …\n")).toBe("building 3 of 4 …\n");
    expect(stream.push("Continue? [y/n] ")).toBe("Continue? [y/n] ");
    expect(stream.push("pre zecr")).toBe("pre ");
    expect(stream.push("oll")).toBe("zecroll");
  });
});

it("leaves ordinary text exactly as it was", () => {
  const words = fc.array(
    fc.constantFrom(
      ..."the author spent tokens on a task for the bearer of risk key session node ok 42 = : , {} \n".split(" "),
    ),
    { maxLength: 40 },
  );
  const redactor = createRedactor({ secrets: ["dk-0123456789", "another/secret+value"] });
  fc.assert(
    fc.property(words, (list) => {
      const text = list.join(" ");
      expect(redactor.text(text)).toBe(text);
      const stream = redactor.stream();
      expect(list.map((word) => stream.push(`${word} `)).join("") + stream.end()).toBe(
        list.map((word) => `${word} `).join(""),
      );
    }),
  );
});
