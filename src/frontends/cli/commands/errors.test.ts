import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Asked } from "../asked.ts";
import { Output } from "../output.ts";
import { errors } from "./errors.ts";

const cwd = mkdtempSync(join(tmpdir(), "segno-errors-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function asked(
  step: string,
  more = "",
  entry = "a",
  options: Readonly<Record<string, unknown>> = { engine: true },
): { readonly code: number; readonly text: string } {
  writeFileSync(join(cwd, "w.yaml"), `workflow: { name: w, entry_point: ${entry}${more} }\nagents:\n  - ${step}\n`);
  const pieces: string[] = [];
  const sink = { write: (piece: string) => pieces.push(piece) > 0 };
  const settings = { format: "text", quiet: false, verbose: false, plain: true, env: {} } as const;
  const code = errors({
    asked: new Asked(["w.yaml"], { "fail-on-unhandled": true, ...options }, { cwd, env: {} }),
    output: new Output(settings, { stdout: sink, stderr: sink }),
    faces: {} as never,
    version: "0",
    commands: [],
  }) as number;
  return { code, text: pieces.join("") };
}

const CATCH_ALL = ", error_routes: [{ on_error: true, halt: { message: no } }]";

// What docs/errors.md says of --fail-on-unhandled.
it.each([
  ["a kind of its own", "{ name: a, type: script, command: x, raises: [a.b] }", "", 1],
  ["a command that may not be there", "{ name: a, type: script, command: x }", "", 1],
  ["a server that may be away", "{ name: a, type: http, url: 'http://localhost' }", "", 1],
  ["nothing but mistakes in the file and defects", "{ name: a, type: set, value: x }", "", 0],
  ["everything, with a catch-all", "{ name: a, type: script, command: x, raises: [a.b] }", CATCH_ALL, 0],
])("--fail-on-unhandled, for a file that can raise %s", (_, step, more, code) => {
  expect(asked(step, more).code).toBe(code);
});

it.each([
  ["internal.*, a.b", 0],
  ["internal.*", 1],
  ["*", 0],
])("--fail-on-unhandled lets pass what --allow names (%s), and still lists it", (allow, code) => {
  const found = asked("{ name: a, type: script, command: x, raises: [a.b] }", "", "a", { allow: [allow] });
  expect(found.code).toBe(code);
  expect(found.text).toContain("a.b  from a");
  const failing = found.text.split("--fail-on-unhandled fails because of ")[1] ?? "";
  expect(failing).not.toContain("internal.");
});

it("refuses patterns for --allow that `on_error` would refuse", () => {
  const { code, text } = asked("{ name: a, type: set, value: x }", "", "a", { allow: ["Internal"] });
  expect(code).toBe(2);
  expect(text.replaceAll(/\s+/g, " ")).toContain(
    '--allow takes kinds and patterns as in `on_error`, such as git.drift or internal.*, and not "Internal"',
  );
});

it("says in one line what is tried, who takes it, and what resilience does before it leaves", () => {
  const { text } = asked(
    "{ name: a, type: http, url: 'http://x', raise_when: [{ when: 'true', kind: net.down, message: m }], routes: [{ to: $end }, { on_error: net.down, retry: 2 }, { on_error: net.down, when: attempts > 1, to: $end }, { on_error: http.status, propagate: true }] }",
    ", resilience: { retry: { max_retries: 2 }, dead_letter: true, escalate: { command: x } }",
  );
  expect(text).toContain("net.down        retry, then → $end if attempts > 1, then escalated, then unhandled");
  expect(text).toContain("propagated to the caller  line 3");
  expect(text).toContain("2 retries by resilience, then a dead letter, then unhandled");
});

it("counts no undeclared kind among the engine's, and says what resilience does with those that its list names", () => {
  const { text } = asked(
    "{ name: a, type: script, command: x }",
    ", resilience: { retry: { max_retries: 2, retryable: [transient.*, http.unavailable] }, dead_letter: true, escalate: { command: x } }",
  );
  expect(text).toMatch(
    /any undeclared {2}2 retries by resilience and a dead letter for transient\.\*, escalated otherwise, then unhandled/,
  );
  expect(text).toMatch(/6 engine kinds +escalated, then unhandled\n {6}internal/);
});

it.each([
  ["only engine kinds are tried again", "[http.unavailable]", "escalated, then unhandled"],
  ["everything is tried again", '["*"]', "2 retries by resilience, then unhandled"],
])("of an undeclared kind it says that %s", (_, retryable, said) => {
  const { text } = asked(
    "{ name: a, type: script, command: x }",
    `, resilience: { retry: { max_retries: 2, retryable: ${retryable} }, escalate: { command: x } }`,
  );
  expect(text).toContain(`any undeclared  ${said}`);
});

it("ends with what made --fail-on-unhandled fail: each kind with its step and line", () => {
  const child = "{ name: deep, type: script, command: x, raises: [a.deep] }";
  writeFileSync(
    join(cwd, "child.yaml"),
    `workflow: { name: c, entry_point: deep, error_routes: [{ on_error: [internal.*], to: $end }] }\nagents:\n  - ${child}\n`,
  );
  const handled = "routes: [{ to: $end }, { on_error: [internal.*, subworkflow.*], to: $end }]";
  const { code, text } = asked(
    `{ name: a, type: script, command: x, raises: [a.b, a.c], routes: [{ to: call }, { on_error: [internal.*, a.c], to: $end }] }\n  - { name: call, type: workflow, workflow: child.yaml, ${handled} }`,
  );
  expect(code).toBe(1);
  expect(text.slice(text.indexOf("--fail"))).toBe(
    "--fail-on-unhandled fails because of 2 kinds:\n  a.b     from a     w.yaml:3\n  a.deep  from call  child.yaml:3\n",
  );
  expect(asked("{ name: a, type: set, value: x }").text).not.toContain("--fail-on-unhandled");
});

it("tells the kinds of a group's members of the members, and of the group what it does with them", () => {
  const group = (routes: string) =>
    asked(
      `{ name: a, type: script, command: x, raises: [a.a] }\n  - { name: b, type: script, command: x, raises: [a.b] }\nparallel:\n  - { name: both, agents: [a, b], failure_mode: continue_on_error, routes: [{ to: $end }${routes}] }`,
      "",
      "both",
    ).text;
  expect(group("").split("--fail-on-unhandled")[0]?.match(/a\.b/g)).toHaveLength(2);
  expect(group("")).not.toContain("both  parallel");
  expect(group(", { on_error: a.b, to: $end }")).toMatch(/both {2}parallel\n {2}a\.b +→ \$end/);
});

it("says to a reporter what it says in text, and points at the step of a called file that raises", () => {
  const child = "{ name: b, type: script, command: x,\n      raises: [a.b],\n      routes: [{ to: $end }] }";
  writeFileSync(join(cwd, "child.yaml"), `workflow: { name: c, entry_point: b }\nagents:\n  - ${child}\n`);
  const { text } = asked(
    "{ name: c, type: workflow, workflow: child.yaml }\n  - { name: h, type: http, url: 'http://x', routes: [{ to: c }] }",
    ", resilience: { retry: { max_retries: 2 }, dead_letter: true }",
    "h",
    { reporter: "github" },
  );
  expect(text).toContain(
    "::http.unavailable of h can leave w.yaml: 2 retries by resilience, then a dead letter, then unhandled. Give h a route with `on_error: http.unavailable`, or the workflow one under `error_routes`.",
  );
  expect(text).toContain(
    "::error file=child.yaml,line=4,col=16,title=unhandled-error::a.b of c can leave w.yaml: unhandled. Give c a route with `on_error: a.b`, or the workflow one under `error_routes`.",
  );
});

it("points a reporter at the kind where it is declared, at the route that passes it on, else at the step's name", () => {
  const routes = "routes: [{ to: b }, { on_error: http.unavailable, propagate: true }]";
  const raising = "raise_when: [{ when: 'true', kind: a.d, message: m }]";
  const { text } = asked(
    `{ name: a, type: http, url: 'http://x', ${raising}, ${routes} }\n  - { name: b, type: script, command: x, raises: [a.b, a.c] }`,
    "",
    "a",
    { reporter: "github" },
  );
  const lines = ["", ""].concat(
    `  - { name: a, type: http, url: 'http://x', ${raising}, ${routes} }`,
    "  - { name: b, type: script, command: x, raises: [a.b, a.c] }",
  );
  const pointedAt = (kind: string): string | undefined => {
    const [, line, column] =
      new RegExp(`line=(\\d+),col=(\\d+),[^:]*::${kind.replaceAll(".", "\\.")} of`).exec(text) ?? [];
    return lines[Number(line) - 1]?.slice(Number(column) - 1);
  };
  expect(pointedAt("a.c")).toMatch(/^a\.c\] \}/);
  expect(pointedAt("a.d")).toMatch(/^a\.d, message/);
  expect(pointedAt("http.unavailable")).toMatch(/^\{ on_error: http\.unavailable/);
  expect(pointedAt("http.network")).toMatch(/^a, type: http/);
  expect(pointedAt("internal.command_not_found")).toMatch(/^b, type: script/);
});

it("leaves out what any step can raise, unless it is asked for, or routes try something and let it go", () => {
  const step = (routes: string) =>
    `{ name: a, type: http, url: 'http://x', raise_when: [{ when: 'true', kind: a.b, message: m }], routes: [{ to: $end }${routes}] }`;
  const plain = asked(step(", { on_error: a.b, to: $end }"), "", "a", { "fail-on-unhandled": false }).text;
  expect(plain).not.toContain("internal.");
  expect(plain).toMatch(/a\.b +→ \$end/);
  expect(plain).toMatch(/\d engine kinds +unhandled\n {6}http\./);
  expect(plain).toMatch(/What leaves w\.yaml unhandled:\n {2}http\./);
  expect(plain).toMatch(/ {2}\d kinds that any step can raise; --engine lists them\n/);
  expect(asked("{ name: a, type: set, value: x }", "", "a", { "fail-on-unhandled": false }).text).toMatch(
    /^No kind of its own leaves w\.yaml unhandled\.\n {2}\d kinds? that any step can raise; --engine lists them\n$/,
  );
  const retried = asked(step(", { on_error: [internal.*], retry: 2 }"), "", "a", { "fail-on-unhandled": false }).text;
  expect(retried).toMatch(/engine kinds +retry, then unhandled\n {6}internal\./);
});
