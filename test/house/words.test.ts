// One word, one thing: whoever searches for a name lands where it is decided. No name is exported from two rooms with a
// meaning in each, and names that only their author understood stay away.
import { describe, expect, it } from "vitest";
import { sourceFiles, textOf } from "./imports.ts";
import { isWithin, wingOf } from "./wings.ts";

const files = sourceFiles();

/** The room whose words a file shares: its wing, but the fleet's store speaks as storage does, coding agents as providers. */
function roomOf(file: string): string {
  const place = file;
  if (isWithin(place, "features/fleet")) return "storage";
  return isWithin(place, "features/coding-agents") ? "providers" : wingOf(file);
}

/** Declarations only: passing a name on from another file gives it no second meaning. */
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/** The template engine is a package of its own: inside it has Jinja2's words, and only what leaves it counts. */
const leavesTemplate = new Set(textOf("template/index.ts").match(/\w+/g));

/** The library gives the public names to things that other rooms make: `run`, `openStore`, `RunEvent`. */
const isPublicFace = (file: string): boolean =>
  ["frontends/library", "features/typescript/library", "features/resilience-alone"].some((place) =>
    isWithin(file, place),
  );

const counts = (file: string, name: string): boolean =>
  !isPublicFace(file) && (roomOf(file) !== "template" || leavesTemplate.has(name));

/** Names with a meaning in each of several rooms: name → files. */
function homonyms(): Record<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ""] of textOf(file).matchAll(DECLARED))
      if (counts(file, name)) places.set(name, [...(places.get(name) ?? []), file]);
  return Object.fromEntries([...places].filter(([, where]) => new Set(where.map(roomOf)).size > 1));
}

/** Shorthands for fields of payloads, used only in `events/families/`, beside words of every other room. */
const ONLY_IN_EVENT_FAMILIES: readonly string[] = ["envelope", "text"];

/**
 * Names whose two meanings stood in one room until their files moved into the wings. To be renamed with the new rule of
 * names, which looks at each wing by itself.
 */
const APART_SINCE_THE_MOVE: readonly string[] = ["agentProcesses", "asRaised", "errorsText", "summaryOf"];

describe("a name", () => {
  it("means one thing in all rooms", () => {
    const found = homonyms();
    expect(
      Object.keys(found)
        .filter((name) => ![...ONLY_IN_EVENT_FAMILIES, ...APART_SINCE_THE_MOVE].includes(name))
        .map((name) => [name, ...(found[name] ?? [])]),
    ).toEqual([]);
  });
});

/** Without strings and comments there are only names left. */
const namesOnly = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gm, "");

/** `(of: Thing): …`, `(of) => …`, `const of = …`. */
const PARAMETER =
  /[(,]\s*(?:of|with_)\??:[^{}()]*(?:\([^()]*\)[^{}()]*)*\)\s*(?::|=>)|[(,]\s*(?:of|with_)\s*[,)]|\b(?:of|with_)\s*=>|\b(?:const|let) (?:of|with_)\b/;

/** Rooms that are being rebuilt, and are not looked at yet. To be emptied. */
const NOT_YET: readonly string[] = [];

const looked = files.filter((file) => !NOT_YET.some((place) => file.startsWith(place)));

describe("the worst names of the past", () => {
  it.each([
    ["`of` and `with_` as parameters", PARAMETER],
    ["`stands` as a name", /(?:const|let|[(,])\s*stands\b|\bstands\s*(?:\)|,|=>|&&|\|\|)/],
    ["ONLY_TOLD, UNTOLD, TELLING", /\b(?:ONLY_TOLD|UNTOLD|TELLING)\b/],
    ["lacksPrice", /\blacksPrice\b/],
    ["Tried, Trying, Attempting, Attempted", /\b(?:Tried|Trying|Attempting|Attempted)\b/],
    ["PROVES_WHO", /\bPROVES_WHO\b/],
    [
      "Surroundings, Driving, Manner: there are a session, requests and listeners",
      /[Ss]urroundings|\bDriving\b|[Mm]anner/,
    ],
  ])("%s are gone", (_, name) => {
    expect(looked.filter((file) => name.test(namesOnly(textOf(file))))).toEqual([]);
  });

  it.each([
    ["whispered: it is the script's stderr", /whisper/i],
    ["dealt: it is handled", /\bdealt/i],
    ["come by: it is reused, or reached", /\b(?:come|comes|came|coming) by\b/i],
  ])("%s, in comments and messages too", (_, word) => {
    expect(looked.filter((file) => word.test(textOf(file)))).toEqual([]);
  });
});
