// A file with `agents:` and what `segno convert` makes of it do the same: ends, outputs and events, over random workflows
// with scripts that fail, agents that answer badly, groups, children and loops.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunEvent } from "../../src/base/events/registry.ts";
import { loadWorkflow } from "../../src/language/load.ts";
import { convertedText } from "../../src/services/workflows/convert.ts";
import type { ModelResult } from "../../src/steps/world.ts";
import { MemoryRun } from "../support/engine/memory-run.ts";
import { memoryWorld } from "../support/engine/memory-world.ts";

const SEED = 20261119;

const ANSWERS = [
  "fine",
  '{"x": "as asked"}',
  '{"x": 5}',
  'It broke.\n```json\n{"conductor_error": true, "kind": "a.b", "message": "m"}\n```',
  '{"conductor_error": true, "kind": "a.b", "message": "m"}',
];

const code = fc.constantFrom(0, 0, 1, 3);
const step = fc.record({
  type: fc.constantFrom("script", "script", "agent", "set", "workflow", "for_each", "parallel"),
  codes: fc.array(code, { minLength: 1, maxLength: 3 }),
  answer: fc.constantFrom(...ANSWERS),
  hasOutput: fc.boolean(),
  opting: fc.constantFrom("", "", "", "raises", "raise_when", "route", "route to"),
  ok: fc.constantFrom("", "", "", "any", "[0, 3]"),
  reads: fc.constantFrom("", "", "exit_code == 0", "exit_code != 3"),
  mode: fc.constantFrom("fail_fast", "continue_on_error", "all_or_nothing"),
  isKeyed: fc.boolean(),
  isBack: fc.boolean(),
  isBlock: fc.boolean(),
});
type Drawn = typeof step extends fc.Arbitrary<infer One> ? One : never;

const file = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  section: fc.constantFrom(
    "",
    "",
    ", limits: { max_iterations: 6 }",
    ", limits: { timeout_seconds: 3600 }",
    ", error_routes: [{ on_error: internal.script_error, to: $end }]",
    ", resilience: { retry: { max_retries: 1 } }",
  ),
  childList: fc.constantFrom("agents", "steps"),
  childCode: code,
});
type DrawnFile = typeof file extends fc.Arbitrary<infer One> ? One : never;

/** Fields of a step as JSON, which is YAML, and as lines with a comment. */
const written = (fields: Readonly<Record<string, unknown>>, isBlock: boolean): string =>
  isBlock
    ? Object.entries(fields)
        .map(
          ([key, value], index) => `${index === 0 ? "  - " : "    "}${key}: ${JSON.stringify(value)}   # ${key} of it`,
        )
        .join("\n")
    : `  - ${JSON.stringify(fields)}`;

function fieldsOf(drawn: Drawn, name: string, routes: readonly object[]): Record<string, unknown> {
  const { type, hasOutput, opting, ok } = drawn;
  const output = hasOutput && type !== "workflow" ? { output: { x: { type: "string" } } } : {};
  const work = {
    script: { type: "script", command: "sh", ...(ok === "" ? {} : { ok_exit_codes: ok === "any" ? ok : [0, 3] }) },
    agent: { type: "agent", prompt: "go" },
    set: { type: "set", values: { x: "{{ 1 }}" } },
    workflow: { type: "workflow", workflow: "./child.yaml" },
  }[type === "for_each" || type === "parallel" ? "script" : type];
  return {
    name,
    ...work,
    ...output,
    ...(opting === "raises" ? { raises: ["a.b"] } : {}),
    ...(opting === "raise_when" ? { raise_when: [{ when: "{{ output is none }}", kind: "a.b", message: "m" }] } : {}),
    ...(routes.length > 0 ? { routes } : {}),
  };
}

function textOf({ steps, section }: DrawnFile): string {
  const [agents, each, pairs]: string[][] = [[], [], []];
  for (const [index, drawn] of steps.entries()) {
    const next = index + 1 < steps.length ? `s${index + 1}` : "$end";
    const { type, opting, reads, isBack, isBlock, mode, isKeyed } = drawn;
    const routes = [
      ...(isBack && index > 0 ? [{ to: `s${index - 1}`, when: "{{ context.iteration < 9 }}" }] : []),
      ...(type === "script" && reads !== "" ? [{ to: next, when: reads }] : []),
      { to: next },
      ...(opting === "route" ? [{ on_error: true, to: next }] : []),
      ...(opting === "route to" ? [{ on_error: "internal.*", to: next }] : []),
    ];
    const name = `s${index}`;
    if (type === "for_each")
      each?.push(
        written(
          {
            name,
            type: "for_each",
            source: "{{ [{'id': 'p'}, {'id': 'q'}, {'id': 'r'}] }}",
            as: "it",
            failure_mode: mode,
            ...(isKeyed ? { key_by: "id" } : {}),
            agent: fieldsOf({ ...drawn, opting: opting === "raises" ? opting : "" }, `i${index}`, []),
            routes,
          },
          isBlock,
        ),
      );
    else if (type === "parallel") {
      const member = { ...drawn, opting: opting === "raises" ? opting : ("" as const) };
      agents?.push(written(fieldsOf(member, `a${index}`, []), isBlock), `  - { name: b${index}, type: set, value: b }`);
      pairs?.push(written({ name, agents: [`a${index}`, `b${index}`], failure_mode: mode, routes }, isBlock));
    } else agents?.push(written(fieldsOf(drawn, name, routes), isBlock));
  }
  const list = (key: string, items: readonly string[] = []): string =>
    items.length === 0 ? `${key}: []\n` : `${key}:\n${items.join("\n")}\n`;
  const shown = steps.map((_, index) => `{{ s${index} | tojson if s${index} is defined else '-' }}`).join(" ");
  return `# A file of the old kind.\nworkflow: { name: random, entry_point: s0${section} }   # head\n${list("agents", agents)}${list("for_each", each)}${list("parallel", pairs)}output: { shown: ${JSON.stringify(shown)} }\n`;
}

const childText = ({ childList, childCode }: DrawnFile): string =>
  `workflow: { name: child, entry_point: c }\n${childList}: [{ name: c, type: script, command: sh, args: ["${childCode}"] }]\noutput: { code: "{{ c.output.exit_code }}" }\n`;

async function driven(main: string, drawn: DrawnFile) {
  const codes = new Map(
    drawn.steps.flatMap(({ codes }, index) => ["s", "i", "a"].map((one) => [`${one}${index}`, codes])),
  );
  const scripts = Object.fromEntries([...codes].map(([name, list]) => [name, list.map((exitCode) => ({ exitCode }))]));
  const child = { c: [{ exitCode: drawn.childCode }] };
  const models = ({ node }: { readonly node: string }): ModelResult => ({
    ok: true,
    content: drawn.steps[Number(node.slice(1))]?.answer ?? "",
    usage: { model: "m", input_tokens: 1, output_tokens: 1 } as never,
  });
  const run = new MemoryRun({ "main.yaml": main, "child.yaml": childText(drawn) });
  const { end, output, events } = await run.drive({ scripts: { ...scripts, ...child }, models });
  return { end: comparable(end), output, events: events.filter(isCompared).map(comparable) };
}

/** In a file with `agents:` an exit code that nobody reads is warned of; a converted file says that it does not matter. */
const isCompared = ({ type, data }: RunEvent): boolean =>
  !(
    type === "warning" &&
    String((data as { message: string }).message).includes("nothing in its file reads the exit code")
  );

/** Without what is made from the text of the file. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, part) =>
      ["hash", "definition", "definition_hash", "outline", "frame", "line", "seq"].includes(key) ? undefined : part,
    ) ?? "null",
  );

it("a converted file does the same, or is refused with a line", { timeout: 300_000 }, async () => {
  let converted = 0;
  await fc.assert(
    fc.asyncProperty(file, async (drawn) => {
      const text = textOf(drawn);
      const world = memoryWorld({ "main.yaml": text, "child.yaml": childText(drawn) });
      const { workflow, findings } = loadWorkflow("/w/main.yaml", world);
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
      if (!workflow) throw new Error("not loaded");
      const answer = convertedText(workflow, world);
      const refused = answer.findings.filter(({ severity }) => severity === "error");
      if (refused.length > 0) {
        expect(refused.map(({ location }) => location.line).filter((line) => line <= 1)).toEqual([]);
        return;
      }
      converted += 1;
      expect(answer.text.match(/#.*$/gm)).toEqual(text.match(/#.*$/gm));
      const [now, before] = [await driven(answer.text, drawn), await driven(text, drawn)];
      expect([answer.text, now.end, now.output]).toEqual([answer.text, before.end, before.output]);
      expect(now.events.map((one) => JSON.stringify(one)).join("\n")).toBe(
        before.events.map((one) => JSON.stringify(one)).join("\n"),
      );
    }),
    { numRuns: 200, seed: SEED },
  );
  // Scripts with `output:` are refused.
  expect(converted).toBeGreaterThan(60);
});
