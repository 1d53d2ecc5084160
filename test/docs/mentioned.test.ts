// Whatever a page names is there: every command after `segno`, and every option after that command.
import { expect, it } from "vitest";
import { type CommandSpec, EVERYWHERE } from "../../src/frontends/cli/command.ts";
import { COMMANDS } from "../../src/frontends/cli/table/index.ts";
import { blocksOf, type Page, pages } from "./markdown.ts";

const flagsOf = ({ options = [] }: Pick<CommandSpec, "options">): readonly string[] =>
  [...options, ...EVERYWHERE].flatMap(({ flags }) => flags.match(/--?[a-z][a-z-]*/g) ?? []);

/** Each `segno …` of a page, in its prose and in what it lets one type. */
function callsOf(page: Page): readonly string[] {
  const typed = blocksOf(page).filter(({ language }) => language === "sh" || language === "hidden");
  const texts = [...typed.flatMap(({ text }) => text.split("\n")), ...(page.text.match(/`[^`\n]+`/g) ?? [])];
  return texts.flatMap((text) => text.match(/(?<![\w./@-])segno [a-z][^`|;&#)]*/g) ?? []);
}

function problemOf(call: string): string | undefined {
  const [, first = "", second = ""] = call.split(/\s+/);
  const spec =
    COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first);
  if (!spec) return COMMANDS.some(({ name }) => name.startsWith(`${first} `)) ? undefined : `no command ${first}`;
  if (!spec.load) return `segno ${spec.name} is not in this build`;
  const known = flagsOf(spec);
  const unknown = [...call.matchAll(/(?<=\s)--[a-z][a-z-]*/g)]
    .map(([flag]) => flag)
    .filter((flag) => !known.includes(flag));
  return unknown.length > 0 ? `segno ${spec.name} has no ${unknown.join(", ")}` : undefined;
}

it.each(pages)("$name names no command and no option that is not there", (page) => {
  const problems = callsOf(page).flatMap((call) => {
    const problem = problemOf(call);
    return problem ? [`${call.trim()}: ${problem}`] : [];
  });
  expect(problems).toEqual([]);
});

it("notices a command and an option that are not there", () => {
  expect([problemOf("segno fly"), problemOf("segno run a.yaml --wings")]).toEqual([
    "no command fly",
    "segno run has no --wings",
  ]);
});
