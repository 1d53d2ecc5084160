// What a run is called: the name that was given with it, else what `workflow.run_name` of its file comes to.
import type { Redactor } from "../../base/redact/index.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";
import { compile, TemplateError } from "../../template/index.ts";
import { refusal } from "../refusals.ts";
import { shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";

export interface RunName {
  readonly name?: string;
  /** Why the run has no name although its file has a template for one. */
  readonly warning?: string;
}

const LONGEST = 200;

interface Naming {
  readonly workflow: LoadedWorkflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The journal and the lists of runs are no places for a secret. */
  readonly redactor: Redactor;
}

export function runNameOf(
  naming: Naming,
  given: string | undefined,
  session: Pick<Session, "cwd" | "reader">,
): RunName {
  const { workflow, redactor } = naming;
  if (given !== undefined) {
    const why = given.trim() === "" ? "is empty" : notOneLine(given) ? "has more than one line" : tooLong(given);
    if (why === undefined) return { name: redactor.text(given.trim()) };
    const option = (session.reader ?? COMMAND_LINE).give({ what: "option", name: "name" });
    throw refusal(`the name of the run ${why}`, {
      hint: `Give ${option} one line of at most ${LONGEST} characters, or leave it out.`,
    });
  }
  const template = workflow.definition.workflow.run_name;
  return template === undefined ? {} : named(template, naming, session);
}

/** Control characters would move a terminal's cursor: a name with one is no line of text. */
const notOneLine = (text: string): boolean => /[\p{Cc}\u2028\u2029]/u.test(text.trim());

const tooLong = (text: string): string | undefined => {
  const { length } = [...text.trim()];
  return length > LONGEST ? `has ${length} characters` : undefined;
};

const PATH = ["workflow", "run_name"];

function named(template: string, { workflow, inputs, redactor }: Naming, { cwd }: Pick<Session, "cwd">): RunName {
  const { name, description } = workflow.definition.workflow;
  const { file, dir, positions } = workflow;
  const field = ({ file, line, column }: Location): string =>
    `\`run_name\` (${shownPath(file, cwd)}:${line}:${column})`;
  try {
    const rendered = compile(template).render({ workflow: { input: inputs, name, description, file, dir } });
    const line = redactor
      .text(rendered)
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim();
    const characters = [...line];
    if (line === "") return { warning: `${field(positions.at(PATH))} comes to an empty text: the run has no name` };
    return { name: characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : line };
  } catch (problem) {
    if (!(problem instanceof TemplateError)) throw problem;
    const { line, column } = problem;
    const place = line > 0 ? positions.inside(PATH, line, column) : positions.at(PATH);
    return {
      warning: redactor.text(
        `${field(place)} cannot be rendered, so the run has no name: ${problem.message.replace(/\.$/, "")}. It sees \`workflow\` alone, since no step has run yet`,
      ),
    };
  }
}
