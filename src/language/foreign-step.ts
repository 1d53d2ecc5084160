// foreign-step: a step in the words of another tool (`run:`, `uses:`), and how it is said here.
import type { NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";
import { asCommand } from "./shell-line.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** Says that a step is another tool's, if it is; `owns` tells whether the step's type has a field of that name. */
export function reportForeignStep(
  value: Mapping,
  path: NodePath,
  page: Page,
  owns: (key: string) => boolean,
  node: string | undefined,
): boolean {
  const key = ["run", "uses"].find((one) => Object.hasOwn(value, one) && !owns(one));
  if (key === undefined) return false;
  const said = key === "run" ? runHere(value.run) : useHere(value.uses);
  page.report(
    "foreign-step",
    [...path, key],
    `\`${key}\` is how other tools ${key === "run" ? "run a command" : "call something ready-made"}. ${said.sentence}`,
    { at: "key", suggestions: [said.suggestion], node },
  );
  return true;
}

interface Said {
  readonly sentence: string;
  readonly suggestion: string;
}

function runHere(line: unknown): Said {
  const suggestion = `type: script, ${typeof line === "string" && line.trim() !== "" ? asCommand(line) : "command: …"}`;
  return { sentence: `Here that is a step of type \`script\`: write \`${suggestion}\`.`, suggestion };
}

function useHere(what: unknown): Said {
  if (typeof what === "string" && /\.ya?ml$/.test(what)) {
    const suggestion = `type: workflow, workflow: ${what}`;
    return { sentence: `Here a step calls another workflow file with \`${suggestion}\`.`, suggestion };
  }
  return {
    sentence:
      "Segno has no actions to fetch: run the command behind it with `type: script, command: …, args: […]`, or call another workflow file with `type: workflow, workflow: path.yaml`.",
    suggestion: "type: script, command: …",
  };
}
