// The rules of the house: floors go one way, rooms know only what is below them, and nobody below reads the clock.
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { circlesIn } from "./circles.ts";
import { type Import, importsOf, roomOf, sourceFiles } from "./imports.ts";
import { interfacesIn, withInherited } from "./interfaces.ts";

/** What each room may import; its own files always. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  json: [],
  errors: ["json"],
  template: ["json"],
  redact: ["json"],
  events: ["errors"],
  results: ["json", "errors", "events", "redact"],
  // What a step type says of itself; what does its work is loaded by it, and later.
  language: ["json", "errors", "template", "steps"],
  providers: ["json", "errors"],
  steps: ["json", "errors", "events", "template", "redact", "providers"],
  engine: ["json", "language", "errors", "events", "template", "steps"],
  hosts: ["json", "engine", "events", "errors", "redact", "steps"],
  // Layout and shapes: the page and the command line draw with the same code.
  graph: ["language", "events", "errors"],
  // When runs start by themselves: pure, services drive it.
  triggers: ["json", "errors", "template"],
  services: [
    "json",
    "graph",
    "triggers",
    "language",
    "engine",
    "hosts",
    "steps",
    "providers",
    "errors",
    "events",
    "results",
    "redact",
    "template",
  ],
  cli: ["json", "services", "results", "errors", "events", "engine", "language", "redact"],
  mcp: ["services", "results", "errors"],
  server: ["json", "services", "results", "errors"],
  // An editor asks about single words of a file: what the language knows of each is read, and nothing decided.
  lsp: ["services", "language", "template", "errors"],
  // The page runs in a browser: of what is below it may use what needs no machine.
  page: ["events", "errors", "graph", "redact"],
  bin: [],
  "main.ts": ["cli", "lsp", "mcp", "server"],
  // The library is a face of its own: it knows what it hands out, and asks services for the rest.
  library: ["json", "services", "engine", "hosts", "steps", "providers", "errors", "results", "language"],
  "index.ts": [
    "library",
    "services",
    "engine",
    "hosts",
    "steps",
    "providers",
    "errors",
    "events",
    "results",
    "language",
    "template",
  ],
};

/** Types may also be known one floor up: a step knows the shape of its definition, a provider that of its call. */
const MAY_KNOW_TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  providers: ["steps", "events"],
  hosts: ["language", "results"],
  cli: ["hosts"],
  // What events carry is computed from their schemas.
  library: ["events"],
  mcp: ["events", "engine", "language"],
  server: ["events", "engine", "language", "graph"],
  page: ["results", "server", "services"],
  results: [],
};

/** Files whose types describe one thing together, and so know each other. Nothing else may be in a circle. */
const TYPE_FAMILIES: readonly { readonly files: readonly string[]; readonly because: string }[] = [];

/** A folder with more files than this is missing an idea. */
const MOST_FILES = 20;

/** `language/rules` has a file for each rule. */
const ANY_SIZE: readonly string[] = ["language/rules"];

/** How many files a folder of services has at the most, with all below it. */
const MOST_OF_SERVICES: Readonly<Record<string, number>> = {
  session: 10,
  runs: 12,
  drive: 14,
  gates: 12,
  letters: 8,
  workflows: 12,
  scenarios: 18,
  explain: 15,
  views: 24,
  commands: 6,
  fleet: 14,
};
const MOST_OF_OTHER_SERVICES = 24;

/** Of all rooms together, style sheets included. */
const MOST_FILES_IN_ALL = 1050;

/** Rooms whose circles of types are being taken apart. To be emptied. */
const BEING_REBUILT: readonly string[] = [];

/** Of a value that is handed from floor to floor, with what it has from others. */
const MOST_FIELDS = 12;

const files = sourceFiles();
const textOf = (file: string): string => readFileSync(`src/${file}`, "utf8");
const imports = files.flatMap(importsOf);

describe("the house", () => {
  it("has no room that is not in the plan", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it("has no folder that is too large to be read", () => {
    const sizes = new Map<string, number>();
    for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    const tooLarge = [...sizes].filter(([folder, size]) => size > MOST_FILES && !ANY_SIZE.includes(folder));
    expect(
      tooLarge.map(([folder, size]) => `${folder}: ${size} files, at most ${MOST_FILES}. Which idea wants a folder?`),
    ).toEqual([]);
  });

  it("has no folder of services that is larger than drawn", () => {
    const sizes = new Map<string, number>();
    for (const file of files) {
      const [room, folder = "", inside] = file.split("/");
      if (room === "services" && inside) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
    }
    expect([...sizes].filter(([folder, size]) => size > (MOST_OF_SERVICES[folder] ?? MOST_OF_OTHER_SERVICES))).toEqual(
      [],
    );
  });

  it("has few enough files to be known", () => {
    const all = readdirSync("src", { recursive: true, withFileTypes: true });
    const counted = all.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
    expect(counted.length).toBeLessThanOrEqual(MOST_FILES_IN_ALL);
  });

  it("has only what every service needs beside the folders of services", () => {
    expect(files.filter((file) => dirname(file) === "services").sort()).toEqual([
      "services/refusals.ts",
      "services/request.ts",
    ]);
  });

  it("asks services with a session, and with requests that hold nothing of it", () => {
    const written = files.filter((file) => file.startsWith("services/")).flatMap((file) => interfacesIn(textOf(file)));
    const handedDown = written
      .filter(({ name, isExported }) => isExported && /Request$|^Session|^DriveListeners$/.test(name))
      .map((one) => withInherited(one, written));
    expect(handedDown.filter(({ fields }) => fields.size > MOST_FIELDS)).toEqual([]);
    const fieldsOf = (wanted: string) => handedDown.find(({ name }) => name === wanted)?.fields ?? new Set();
    const ofSession = fieldsOf("Session");
    expect(ofSession).toContain("cwd");
    // What `extends` brings counts, whole or in part.
    expect(fieldsOf("ResumeRequest")).toContain("inputs");
    expect([...fieldsOf("RetryRequest")]).toEqual(expect.arrayContaining(["ids", "maxIterations"]));
    // `project` is also what a request to make a project says.
    const isOfSession = (field: string): boolean => field !== "project" && ofSession.has(field);
    const mixed = handedDown.filter(
      ({ name, parents, fields }) =>
        !name.startsWith("Session") &&
        (parents.has("Session") || parents.has("DriveListeners") || [...fields].some(isOfSession)),
    );
    expect(mixed.map(({ name }) => name)).toEqual([]);
  });

  it("lets no import go up", () => {
    const isAllowed = ({ from, to, typeOnly }: Import): boolean => {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (room === other) return true;
      return (MAY_IMPORT[room] ?? []).includes(other) || (typeOnly && (MAY_KNOW_TYPES_OF[room] ?? []).includes(other));
    };
    expect(imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("lets the page know of the server what both agreed on, and nothing else", () => {
    const ofServer = imports.filter(({ from, to }) => roomOf(from) === "page" && roomOf(to) === "server");
    expect(ofServer.filter(({ to }) => !to.startsWith("server/contract/"))).toEqual([]);
  });

  it("lets the page know of redaction what it leaves behind, and nothing else", () => {
    const ofRedaction = imports.filter(({ from, to }) => roomOf(from) === "page" && roomOf(to) === "redact");
    expect([...new Set(ofRedaction.map(({ to }) => to))]).toEqual(["redact/mark.ts"]);
  });

  it("ends the process in one place, beside where it watches over the ends of others", () => {
    const ending = files.filter((file) => /process\.exit\(/.test(readFileSync(`src/${file}`, "utf8")));
    expect(ending.sort()).toEqual([
      "errors/leave-process.ts",
      // The text of a program of its own.
      "services/governance/policy-modules.ts",
      "services/project/plugin-work.ts",
      // The text of a program of its own.
      "services/scenarios/shims.ts",
    ]);
  });

  it("asks which system this is in one place, so that every difference has a side for POSIX and one for Windows", () => {
    const asking = files.filter((file) =>
      /process\.platform|\bplatform\(\)|\{[^}]*\bplatform\b[^}]*\} = process\b/.test(
        readFileSync(`src/${file}`, "utf8"),
      ),
    );
    expect(asking.sort()).toEqual([
      // It imports nothing of the house: it runs before any of it is loaded.
      "bin/cache-folder.ts",
      "steps/process/platform.ts",
    ]);
  });

  it("has no circle of imports, types and lazy ones included", () => {
    const isAllowed = (circle: readonly string[]): boolean =>
      TYPE_FAMILIES.some(({ files: family }) => circle.every((file) => family.includes(file))) ||
      BEING_REBUILT.some((place) => circle.every((file) => file.startsWith(place)));
    expect(circlesIn(imports).filter((circle) => !isAllowed(circle))).toEqual([]);
  });

  it("lets only types of one folder know each other in a circle", () => {
    const code = imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy);
    expect(circlesIn(code)).toEqual([]);
    const circles = circlesIn(imports);
    for (const { files: family, because } of TYPE_FAMILIES) {
      expect(because).not.toBe("");
      expect(new Set(family.map((file) => file.split("/").slice(0, 2).join("/"))).size, because).toBe(1);
      expect(
        circles.some((circle) => circle.some((file) => family.includes(file))),
        `${family} is none`,
      ).toBe(true);
    }
  });

  it("has no circle in services and hosts, not even of types", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
    const isReached = (from: string, wanted: string, seen = new Set<string>()): boolean =>
      (next.get(from) ?? []).some((to) => {
        if (to === wanted) return true;
        if (seen.has(to)) return false;
        seen.add(to);
        return isReached(to, wanted, seen);
      });
    const rooms = files.filter((file) => roomOf(file) === "services" || roomOf(file) === "hosts");
    expect(rooms.filter((file) => isReached(file, file))).toEqual([]);
  });

  it("names a host in one place only: everybody else gets a store", () => {
    const isHost = (file: string): boolean => /^hosts\/\w+\//.test(file);
    const named = imports.filter(({ from, to }) => isHost(to) && roomOf(from) !== "hosts");
    expect([...new Set(named.map(({ from }) => from))]).toEqual(["services/session/store.ts"]);
  });

  it("reads clock, dice and environment only where the world begins", () => {
    const world = [
      "hosts",
      "steps",
      "providers",
      "services",
      "cli",
      "mcp",
      "server",
      "page",
      "bin",
      "library",
      "main.ts",
      "errors/raise.ts",
    ];
    const offenders = files.filter((file) => {
      if (world.some((place) => file === place || roomOf(file) === place)) return false;
      // `new Date(x)` is arithmetic; only reading the present counts.
      return /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env\b/.test(
        withoutComments(readFileSync(`src/${file}`, "utf8")),
      );
    });
    expect(offenders).toEqual([]);
  });

  it("runs nothing side by side in the interpreter but through the port", () => {
    const engine = files.filter((file) => roomOf(file) === "engine");
    expect(
      engine.filter((file) => /Promise\.(all|race|any|allSettled)\b/.test(readFileSync(`src/${file}`, "utf8"))),
    ).toEqual([]);
  });
});

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
