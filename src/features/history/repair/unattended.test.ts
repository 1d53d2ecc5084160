// What a model may change while nobody looks, tried with proposals of every kind.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryWorld } from "../../../../test/support/engine/memory-world.ts";
import { runs } from "../../../../test/support/property-runs.ts";
import { loadWorkflow } from "../../../language/load.ts";
import { whyNotAlone } from "./unattended.ts";

const load = (text: string) => {
  const { workflow } = loadWorkflow("/w/main.yaml", memoryWorld({ "main.yaml": text }, { KEY: "k" }));
  if (!workflow) throw new Error("the file does not load");
  return workflow;
};

const why = (
  before: string,
  after: string,
  node: string | null,
  suggested: readonly string[] = ["fetch.output.title"],
) => whyNotAlone({ before: load(before), after: load(after), node, text: before, changed: after, suggested });

const file = (step: string): string => `workflow: { name: t, entry_point: fetch }
agents:
  - { name: fetch, type: set, values: { title: x, size: 1 }, routes: [{ to: go }] }
  - name: go
${step.replace(/^/gm, "    ")}
`;

const STEPS = {
  agent:
    "prompt: 'Never delete anything. Sum up {{ fetch.output.titel }}'\nmodel: m\nprovider: { name: openai, base_url: 'https://a.example' }\ntools: [a]",
  set: "type: set\nvalues: { a: '{{ fetch.output.titel }}', b: [1, 'x {{ fetch.output.size }}'] }",
  http: "type: http\nurl: 'https://a.example/{{ fetch.output.titel }}'\nheaders: { authorization: '${KEY}' }\nbody: { a: '{{ fetch.output.titel }}' }",
  mcp: "type: mcp\nserver: s\ntool: t\narguments: { a: '{{ fetch.output.titel }}' }",
  script: "type: script\ncommand: echo\nargs: ['{{ fetch.output.titel }}']",
  child: "type: workflow\nworkflow: ./main.yaml\nmax_depth: 2\ninput_mapping: { a: '{{ fetch.output.titel }}' }",
  end: "type: terminate\nstatus: failed\nreason: 'because of {{ fetch.output.titel }}'",
} as const;

describe("without a person", () => {
  it.each(["agent", "set", "child", "end", "mcp", "script"] as const)(
    "the missing name in %s may become the suggested one",
    (type) => {
      const before = file(STEPS[type]);
      expect(why(before, before.replace("titel", "title"), "go")).toBeUndefined();
    },
  );

  it.each([
    ["agent", "'https://a.example'", "'https://evil.example'", "provider.base_url"],
    ["agent", "tools: [a]", "tools: [a, b]", "tools"],
    ["agent", "Never delete anything. ", "", "outside of"],
    ["agent", "model: m", "model: n", "model"],
    ["agent", "{{ fetch.output.titel }}", '{{ "run rm -rf" }}', "run rm -rf"],
    ["agent", "{{ fetch.output.titel }}", "{{ workflow.input.password }}", "workflow.input.password"],
    ["agent", "{{ fetch.output.titel }}", "{{ fetch }}", "reads fetch"],
    ["http", "titel }}'\n    headers", "title }}'\n    headers", "url"],
    ["http", "https://a.example", "https://evil.example", "url"],
    ["http", "body: { a: '{{ fetch.output.titel }}' }", "body: { a: '{{ fetch.output.size }}' }", "body.a"],
    ["http", "body: { a: '{{", "body: { a: 'more {{", "body.a"],
    ["mcp", "tool: t", "tool: delete_all", "tool"],
    ["mcp", "fetch.output.titel", "workflow.input.password", "arguments.a"],
    ["script", "args: ['{{", "args: ['-x', '{{", "args"],
    ["script", "args: ['{{", "args: ['-x{{", "args"],
    ["script", "command: echo", "command: sh", "command"],
    ["set", "b: [1,", "b: [2,", "shape"],
    ["set", "a: '{{", "c: '{{", "values"],
    ["child", "./main.yaml", "main.yaml", "workflow"],
    ["end", "status: failed", "status: success", "status"],
  ] as const)("%s: %j must not become %j", (type, from, to, reason) => {
    const before = file(STEPS[type]);
    expect(before).toContain(from);
    expect(why(before, before.replace(from, to), "go")).toContain(reason);
  });

  it("what runs inside a failing for_each must not change", () => {
    const before = `workflow: { name: t, entry_point: all, input: { xs: { type: array } } }
agents:
  - { name: z, type: set, value: 1 }
for_each:
  - name: all
    type: for_each
    source: workflow.input.xs
    as: x
    agent: { name: w, type: script, command: echo, args: ["{{ x.nam }}"] }
`;
    expect(why(before, before.replace("command: echo", "command: sh"), "all")).toContain("agent.command");
  });

  it("the workflow's own output must not change", () => {
    const before = `${file(STEPS.set)}output: { a: "{{ fetch.output.titel }}" }\n`;
    expect(why(before, before.replace(/titel }}" }\n$/, 'title }}" }\n'), null)).toContain("`output`");
  });
});

it("no proposal passes that changes anything but names in the few harmless fields", () => {
  const mutation = fc.record({
    at: fc.nat(),
    length: fc.integer({ min: 0, max: 12 }),
    text: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("title", "{{ fetch }}", "command: sh", "- x", ": ")),
  });
  const tried = runs(3_000);
  let judged = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      (type, mutations) => {
        const before = file(STEPS[type]);
        let after = before;
        for (const { at, length, text } of mutations) {
          const start = at % after.length;
          after = after.slice(0, start) + text + after.slice(start + length);
        }
        let changed: ReturnType<typeof load>;
        try {
          changed = load(after);
        } catch {
          return;
        }
        judged += 1;
        const suggested = ["fetch.output.title"];
        const original = load(before);
        const verdict = whyNotAlone({
          before: original,
          after: changed,
          node: "go",
          text: before,
          changed: after,
          suggested,
        });
        const isSame = JSON.stringify(original.raw) === JSON.stringify(changed.raw);
        if (verdict === undefined && !isSame) {
          // Then nothing differs but what stands between braces, in a field that may have it, and that reads nothing new.
          const decisive = (text: string) =>
            text.match(/"(url|command|server|tool|headers|model|provider)":("[^"]*"|\{[^}]*\})/g);
          expect(decisive(JSON.stringify(changed.raw))).toEqual(decisive(JSON.stringify(original.raw)));
          const [old, fresh] = [JSON.stringify(original.raw), JSON.stringify(changed.raw)];
          const outside = (text: string): string => text.replace(/\{\{.*?\}\}/g, "{{}}");
          const inside = (text: string): string => [...text.matchAll(/\{\{(.*?)\}\}/g)].map(([, it]) => it).join(" ");
          expect(outside(fresh)).toBe(outside(old));
          expect(inside(fresh)).not.toMatch(/["'0-9]/);
          for (const [path] of inside(fresh).matchAll(/\bfetch\b[\w.]*/g))
            expect(path).toMatch(/^fetch\.output\.(titel|title|size)/);
        }
      },
    ),
    { numRuns: tried },
  );
  expect(judged).toBeGreaterThan(tried / 10);
});
