// What a file with `agents:` means and no field of one with `steps:` can say: `segno convert` refuses it, with its place.
import { isMapping } from "../../base/errors/mapping.ts";
import { type LoadedWorkflow, type NodePath, stepsOf, writtenAt } from "../../language/loaded.ts";

interface Difference {
  readonly path: NodePath;
  readonly message: string;
}

const INSTRUCTIONS =
  "Instructions and skills stand in Conductor's frames in a file with `agents:`, and agents of a child get those of its callers too. Leave them out, or write what matters into the prompts, then convert the file.";
const MAX_TOKENS =
  "What is left out of the context beyond `max_tokens` is chosen as Conductor does in a file with `agents:`, and otherwise in one with `steps:`. Leave `max_tokens` out, then convert the file.";

const scriptOutput = (name: string): string =>
  `With \`output:\`, the script of \`${name}\` must print one JSON object in a file with \`agents:\`, also when it exits with another code than 0. No field says that in one with \`steps:\`. Leave \`output:\` out, then convert the file.`;
const questions = (name: string): string =>
  `The transcript of \`${name}\` has numbers and no skipped questions in a file with \`agents:\`, and a skipped answer is null. No field says that in one with \`steps:\`.`;
const optionalInput = (entry: string): string =>
  `Where the step ran without that field, \`${entry}\` gives an empty step in a file with \`agents:\`, and nothing in one with \`steps:\`. Name the whole output, then convert the file.`;
const pattern = (source: string): string =>
  `The pattern \`${source}\` is read in Python's dialect in a file with \`agents:\`: \`\\w\`, \`\\d\`, \`\\s\` and \`\\b\` are those of Unicode there, and \`$\` also stands before a last newline. Write what is meant (\`[0-9]\`, \`\\z\`), then convert the file.`;

/** What Python and RE2 read differently. */
const READ_DIFFERENTLY = /\\[wWdDsSbBZ]|\(\?|\$(?=$|\)|\|)/;

export function* dialectDifferences({ definition, raw, pathOf }: LoadedWorkflow): Generator<Difference> {
  const { workflow } = definition;
  if (workflow.instructions.length > 0) yield { path: ["workflow", "instructions"], message: INSTRUCTIONS };
  const skills: NodePath = ["workflow", "runtime", "skills"];
  if (writtenAt(raw, skills) !== undefined) yield { path: skills, message: INSTRUCTIONS };
  if (workflow.context.max_tokens !== undefined)
    yield { path: ["workflow", "context", "max_tokens"], message: MAX_TOKENS };
  for (const step of stepsOf(definition)) {
    const path = pathOf(step.name);
    if (writtenAt(raw, [...path, "skills"]) !== undefined) yield { path: [...path, "skills"], message: INSTRUCTIONS };
    if (step.type === "questions") yield { path, message: questions(step.name) };
    if (step.type === "script" && step.output !== undefined)
      yield { path: [...path, "output"], message: scriptOutput(step.name) };
    const inputs = writtenAt(raw, [...path, "input"]);
    for (const [index, entry] of (Array.isArray(inputs) ? inputs : []).entries())
      if (typeof entry === "string" && /\.output\..+\?$/.test(entry))
        yield { path: [...path, "input", index], message: optionalInput(entry) };
    yield* patternsIn(writtenAt(raw, [...path, "output"]), [...path, "output"]);
  }
}

function* patternsIn(value: unknown, path: NodePath): Generator<Difference> {
  if (!isMapping(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name];
    if (name === "pattern" && typeof inner === "string") {
      if (READ_DIFFERENTLY.test(inner)) yield { path: at, message: pattern(inner) };
    } else yield* patternsIn(inner, at);
  }
}
