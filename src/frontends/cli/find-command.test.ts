import { describe, expect, it } from "vitest";
import type { CommandSpec } from "./command.ts";
import { findCommand, parse } from "./parse.ts";
import { COMMANDS, SYNONYMS } from "./table/index.ts";
import { UsageError } from "./usage-error.ts";

const line = (text: string): string[] => text.split(" ").filter(Boolean);
const found = (text: string) => findCommand(line(text), COMMANDS);
const session = { cwd: "/here", env: {} };

function asked(text: string) {
  const { spec, rest } = found(text);
  if (!spec) throw new Error("no command");
  return parse(spec, rest, session);
}

const complaint = (text: string): string => {
  try {
    asked(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no complaint";
};

describe("which command a line names", () => {
  const cases: [string, string | undefined, string][] = [
    ["validate a.yaml", "validate", "a.yaml"],
    ["--output-format json validate a.yaml", "validate", "--output-format json a.yaml"],
    ["--home /h -q run a.yaml", "run", "--home /h -q a.yaml"],
    ["runs", "runs", ""],
    ["runs --status failed", "runs", "--status failed"],
    ["runs prune --keep 3", "runs prune", "--keep 3"],
    ["runs --home /h prune", "runs prune", "--home /h"],
    ["gate answer 01J yes", "gate answer", "01J yes"],
    ["help run", "run", "--help"],
    ["help gate answer", "gate answer", "--help"],
    ["help --all", undefined, "--all --help"],
    ["version", undefined, "--version"],
    ["", undefined, ""],
    ["--help", undefined, "--help"],
  ];
  it.each(cases)("%s", (text, name, rest) => {
    const { spec, rest: left } = found(text);
    expect([spec?.name, left.join(" ")]).toEqual([name, rest]);
  });

  it("shows the second words of a family when help is asked for", () => {
    expect(found("gate --help").family).toBe("gate");
  });
});

describe("what was asked", () => {
  it("takes global options before and after the command", () => {
    for (const text of ["-v --home /h validate a.yaml --strict", "validate a.yaml --strict --home=/h --verbose"]) {
      const it = asked(text);
      expect([it.arguments, it.flag("strict"), it.flag("verbose"), it.text("home")]).toEqual([
        ["a.yaml"],
        true,
        true,
        "/h",
      ]);
    }
  });

  it("collects options that may come more than once, in order", () => {
    expect(asked("run a.yaml -i a=1 --input b=-2 -ic=3").list("input")).toEqual(["a=1", "b=-2", "c=3"]);
  });

  it("reads whole numbers", () => {
    expect(asked("resume --max-iterations 20").number("max-iterations")).toBe(20);
  });

  it("takes what stands behind -- as it is", () => {
    expect(asked("gate answer 01J -- --no").arguments).toEqual(["01J", "--no"]);
  });

  it("asks for colours unless told not to", () => {
    expect([asked("runs").flag("color"), asked("runs --no-color").flag("color")]).toEqual([true, false]);
  });
});

it.each([
  ["run a.yaml -p openai --silent --input.s=5 --input.t 6", { provider: "openai", quiet: true, input: ["s=5", "t=6"] }],
  ["resume R -s", { quiet: true }],
])("takes Conductor's options where there is an equal: %s", (words, expected) => {
  const given = asked(words);
  for (const [name, value] of Object.entries(expected))
    expect(Array.isArray(value) ? given.list(name) : value === true ? given.flag(name) : given.text(name)).toEqual(
      value,
    );
});

describe("wrong use is told in a sentence", () => {
  const cases: [string, string][] = [
    ["vaildate a.yaml", 'There is no command "vaildate". Did you mean "validate"?'],
    ["frobnicate", 'There is no command "frobnicate".'],
    ["list", 'There is no command "list". Did you mean "runs"?'],
    ["gate", '"segno gate" is one of: list, answer.'],
    [
      "gate anser 1 2",
      'There is no command "gate anser". "segno gate" is one of: list, answer. Did you mean "answer"?',
    ],
    ["validate", '"segno validate" needs <file...>: workflow files, or folders of them.'],
    ["run a.yaml b.yaml", '"segno run" takes only <file>; "b.yaml" is one too many.'],
    ["runs extra", '"segno runs" takes no arguments; "extra" is one too many.'],
    ["validate a.yaml --strct", '"segno validate" has no option --strct. Did you mean "--strict"?'],
    [
      "run a.yaml --web-port 9",
      '"segno run" has no option --web-port. The page of a run takes a free port: --web. "segno serve --port N" shows all runs on a port of yours.',
    ],
    ["run a.yaml --skip-gate", '"segno run" has no option --skip-gate. Did you mean "--skip-gates"?'],
    ["run a.yaml --max-iterations many", '--max-iterations takes a whole number of at least 1, not "many".'],
    ["run a.yaml --max-iterations 0", '--max-iterations takes a whole number of at least 1, not "0".'],
    ["serve --port x", '--port takes a whole number from 0 to 65535, not "x".'],
    ["serve --port 99999", '--port takes a whole number from 0 to 65535, not "99999".'],
    ["mcp --http --port 65536", '--port takes a whole number from 0 to 65535, not "65536".'],
    ["graph a.yaml --watch --port -1", '--port takes a whole number from 0 to 65535, not "-1".'],
    ["worker --port 1e9", '--port takes a whole number from 0 to 65535, not "1e9".'],
    ["run a.yaml --inputs", "--inputs needs a value after it."],
    [
      "runs --status faild",
      '--status is one of queued, running, completed, degraded, terminated, failed, paused, cancelled, crashed, not "faild". Did you mean "failed"?',
    ],
    [
      "validate a.yaml --output-format jsn",
      '--output-format is one of text, json, ndjson, not "jsn". Did you mean "json"?',
    ],
    ["schema results", '<of> is one of workflow, result, not "results". Did you mean "result"?'],
  ];
  it.each(cases)("%s", (text, sentence) => {
    expect(complaint(text)).toBe(sentence);
  });
});

describe("the table", () => {
  it("gives every command a summary without a full stop, and an example that parses", () => {
    for (const spec of COMMANDS) {
      expect(spec.summary).toMatch(/[^.]$/);
      expect(spec.examples.length, spec.name).toBeGreaterThan(0);
      for (const { line: text } of spec.examples) parses(spec, text);
    }
  });

  it("has what the words of other programs stand for", () => {
    const names = COMMANDS.map(({ name }) => name);
    for (const [word, meant] of Object.entries(SYNONYMS)) {
      expect(names).toContain(meant);
      expect(names.map((name) => name.split(" ")[0])).not.toContain(word);
    }
  });

  it("names each command and each option once", () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
    for (const { options = [] } of COMMANDS)
      expect(new Set(options.map(({ flags }) => flags)).size).toBe(options.length);
  });
});

/** Examples are shell lines: quotes, redirections and substitutions are taken off first. */
function parses(spec: CommandSpec, text: string): void {
  const bare = text
    .replace(/^source <\((.*)\)$/, "$1")
    .replace(/ >.*$/, "")
    .replace(/"[^"]*"|'[^']*'/g, (quoted) => quoted.slice(1, -1).replaceAll(" ", "_"));
  const { spec: named, rest } = findCommand(line(bare).slice(1), COMMANDS);
  expect(named?.name, text).toBe(spec.name);
  expect(() => parse(spec, rest, session), text).not.toThrow();
}

it("an address of a fleet where a file or a run belongs is not printed back with its password", () => {
  for (const command of ["run", "show", "validate"]) {
    const said = complaint(`${command} postgres://ann:sup3rs3cret@db:5432/app?password=qu3ry99`);
    expect(said).toContain('"postgres://db:5432/app" is the address of a fleet');
    expect(said).not.toMatch(/sup3r|qu3ry/);
  }
});
