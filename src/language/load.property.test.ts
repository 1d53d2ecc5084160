// Whatever the file is, loading ends and throws nothing. How long it takes is the business of `npm run bench`.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conductorFiles } from "../../test/compat/conductor-files.ts";
import { memoryWorld } from "../../test/support/engine/memory-world.ts";
import { runs } from "../../test/support/property-runs.ts";
import { loadWorkflow } from "./load.ts";
import { validateWorkflow } from "./validate.ts";

function settles(content: string | Uint8Array): void {
  const { workflow, findings } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": content }));
  if (!workflow) expect(findings.some((one) => one.severity === "error")).toBe(true);
  for (const { location, message } of findings) {
    expect(location.line).toBeGreaterThanOrEqual(1);
    expect(location.column).toBeGreaterThanOrEqual(1);
    expect(message).not.toBe("");
  }
}

const SAMPLE = `workflow:
  name: sample
  entry_point: probe
  limits: { max_iterations: 50 }
  input: { xs: { type: array, default: [1, 2] } }
  runtime: { provider: { name: openai }, mcp_servers: { s: { command: npx } } }
  resilience: { retry: { max: 3 }, circuit_breaker: {} }
  policies: [{ budget: { usd: 5 } }]
agents:
  - name: probe
    type: script
    command: sh
    args: [-c, "echo \${X}"]
    raises: [a.b]
    routes:
      - { on_error: a.b, retry: { max: 3 } }
      - to: ask
  - { name: ask, type: human_gate, prompt: "?", options: [{ label: Y, value: y, route: $end }] }
  - name: review
    prompt: |
      Look at {{ probe.output.stdout }}
    output: { ok: { type: boolean } }
parallel: [{ name: both, agents: [probe, review] }]
for_each: [{ name: each, type: for_each, source: workflow.input.xs, as: x, agent: { name: w, type: set, value: "{{ x }}" } }]
output: { got: "{{ probe.output }}" }
`;

const texts = conductorFiles().map(({ text }) => text);

describe("loading ends and throws nothing", () => {
  it("for a valid file with pieces cut out, doubled, swapped and scribbled over", () => {
    const junk = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      "- ",
      "\n",
      "\t",
      "'",
      '"',
      "|",
      "&a ",
      "*a",
      "!file x",
      "${X}",
      "{{",
      "<<: ",
      "#",
      "---\n",
      "\u0000",
      "é",
      "null",
      "  ",
    );
    const edit = fc.record({ at: fc.nat(), cut: fc.nat(40), put: fc.oneof(junk, fc.string({ maxLength: 8 })) });
    const source = fc.constantFrom(SAMPLE, ...texts.filter((text) => text.length < 8000));
    fc.assert(
      fc.property(source, fc.array(edit, { minLength: 1, maxLength: 6 }), (text, edits) => {
        let mangled = text;
        for (const { at, cut, put } of edits) {
          const from = at % (mangled.length + 1);
          mangled = mangled.slice(0, from) + put + mangled.slice(from + cut);
        }
        settles(mangled);
      }),
      { numRuns: runs(300) },
    );
  });

  it("for a valid file with values of any other type in any place", () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double(),
      fc.string(),
      fc.array(fc.jsonValue(), { maxLength: 3 }),
      fc.jsonValue(),
    );
    const keys = [
      "name",
      "type",
      "routes",
      "agents",
      "workflow",
      "options",
      "output",
      "retry",
      "to",
      "on_error",
      "limits",
      "runtime",
      "provider",
      "input",
      "as",
      "agent",
      "args",
      "policies",
      "resilience",
      "raise_when",
      "__proto__",
      "constructor",
    ];
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        value,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("node"), { maxKeys: 5 }),
      ),
    })).node;
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...keys, "steps", "parallel", "for_each"), tree, { maxKeys: 6 }),
        (file) => settles(JSON.stringify(file)),
      ),
      { numRuns: runs(300) },
    );
  });

  it("for random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), settles), { numRuns: runs(200) });
  });

  it.each<[string, string]>([
    ["brackets", "[".repeat(100_000)],
    ["braces", "{a: ".repeat(50_000)],
    ["closed brackets", `a: ${"[".repeat(5000)}${"]".repeat(5000)}`],
    ["dashes", "- ".repeat(50_000)],
    ["question marks", "? ".repeat(50_000)],
    ["indentation", Array.from({ length: 1500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["a huge quoted text", `a: "${"x".repeat(1_500_000)}"`],
    [
      "a huge block",
      `workflow: { name: a, entry_point: b }\nagents:\n  - name: b\n    prompt: |\n${"      words and words and words\n".repeat(100_000)}`,
    ],
    ["many keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: v`).join("\n")],
    ["many variables", `workflow: { name: "${"${X}".repeat(20_000)}", entry_point: a }`],
    ["many anchors", "&a ".repeat(20_000)],
    [
      "a long chain of aliases",
      `x0: &x0 [1]\n${Array.from({ length: 3000 }, (_, i) => `x${i + 1}: &x${i + 1} [*x${i}]`).join("\n")}`,
    ],
    [
      "an alias bomb",
      `x0: &x0 [1]\n${Array.from({ length: 30 }, (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`).join(", ")}]`).join("\n")}`,
    ],
    [
      "a merge bomb",
      `x0: &x0 {a: 1}\n${Array.from({ length: 30 }, (_, i) => `x${i + 1}: &x${i + 1} { <<: [*x${i}, *x${i}], k${i}: *x${i}, l${i}: *x${i} }`).join("\n")}`,
    ],
    ["nothing but errors", "[,".repeat(20_000)],
  ])("for %s", (_what, text) => settles(text));
});

// Where a rule looked at every way through a file, this would not end.
it("a file of 1000 steps is checked", () => {
  const steps = Array.from(
    { length: 1000 },
    (_, i) => `  - { name: s${i}, type: set, value: "{{ 1 }}", routes: [{ to: ${i < 999 ? `s${i + 1}` : "$end"} }] }`,
  );
  const world = memoryWorld({
    "main.yaml": `workflow: { name: big, entry_point: s0, limits: { max_iterations: 1000 } }\nagents:\n${steps.join("\n")}\n`,
  });
  expect(validateWorkflow("/w/main.yaml", world).findings).toEqual([]);
});

describe("Conductor's examples", () => {
  const files = conductorFiles();
  const world = memoryWorld(Object.fromEntries(files.map(({ name, text }) => [name, text])));
  it.each(files)("$name loads", ({ name }) => {
    const { workflow, findings } = loadWorkflow(`/w/${name}`, world);
    expect(findings.filter((one) => one.severity === "error")).toEqual([]);
    expect(workflow?.definition.agents.length).toBeGreaterThan(0);
  });
});
