// What is shown over a word (a field, a step, a kind, a value of the last run), and code lenses over steps and files.
import type { CodeLens, Hover, Position } from "vscode-languageserver/node";
import { KINDS } from "../../../base/errors/index.ts";
import { gatherFacts, type HandledBy, type KindFlow } from "../../../language/analysis/index.ts";
import type { LoadedWorkflow } from "../../../language/loaded.ts";
import { isToBeExpected } from "../../../services/workflows/describe.ts";
import { type Played, playScenarios } from "../last-run.ts";
import type { Mention } from "../mentions.ts";
import { editorPosition } from "../text.ts";
import { type CursorPlace, cursorAt, plainAt, referenceAt, valueBelow } from "./cursor.ts";
import type { Desk } from "./desk.ts";
import { aboutField } from "./fields.ts";
import { mentionAt, mentionRange, START } from "./navigate.ts";

export async function hover(desk: Desk, path: string, position: Position): Promise<Hover | null> {
  const kind = desk.kindOf(path);
  if (!kind) return null;
  const text = desk.text(path);
  const cursor = cursorAt(text.text, text.offset(position));
  const mention = mentionAt(desk, path, position);
  const shown: string[] = [];
  const value = cursor && kind === "workflow" ? await valueNow(desk, path, cursor) : undefined;
  if (value !== undefined) shown.push(value);
  const about = mention && aboutMention(desk, mention);
  if (about) shown.push(about);
  if (shown.length === 0 && cursor) {
    const at = cursor.part === "key" ? [...cursor.path, cursor.value] : cursor.path;
    const field = aboutField(at, { kind, root: cursor.root, extensions: desk.session.extensions });
    if (field) shown.push(`**${String(at.findLast((key) => typeof key === "string") ?? "")}** — ${field}`);
  }
  if (shown.length === 0) return null;
  return { contents: { kind: "markdown", value: shown.join("\n\n") }, range: mention && mentionRange(desk, mention) };
}

const MOST_SHOWN = 800;

/** The value of the expression in the last run of this file, redacted. */
async function valueNow(desk: Desk, path: string, cursor: CursorPlace): Promise<string | undefined> {
  const [root, second, ...rest] = referenceAt(cursor) ?? [];
  if (root === undefined) return undefined;
  const run = await desk.lastRun(path);
  if (!run) return undefined;
  const isInput = root === "workflow" && second === "input";
  const isOutput = run.outputs.has(String(root)) && (second === "output" || second === "outputs");
  if (!isInput && !isOutput) return undefined;
  const whole = isInput ? run.inputs : run.outputs.get(String(root));
  const found = valueBelow(whole, second === "outputs" ? ["outputs", ...rest] : rest);
  if (found === undefined) return undefined;
  const written = JSON.stringify(found, null, 2);
  const short = written.length > MOST_SHOWN ? `${written.slice(0, MOST_SHOWN)}\n…` : written;
  return `In the last run (\`${run.runId.slice(-6)}\`):\n\n\`\`\`json\n${short}\n\`\`\``;
}

function aboutMention(desk: Desk, { what, name, owner, file }: Mention): string | undefined {
  const workflow = desk.workflow(owner === "" ? file : owner);
  if (what === "kind") return aboutKind(name, workflow);
  if (!workflow) return undefined;
  if (what === "input") {
    const input = workflow.definition.workflow.input?.[name];
    return (
      input &&
      `**${name}** — input, ${input.type}${input.required ? ", required" : ""}. ${input.description ?? ""}`.trim()
    );
  }
  return what === "step" ? aboutStep(name, workflow) : undefined;
}

function aboutKind(kind: string, workflow: LoadedWorkflow | undefined): string {
  const known = KINDS.get(kind);
  const raisers = (workflow ? gatherFacts(workflow).errors.steps : [])
    .filter(({ raises }) => raises.some((one) => one.kind === kind && !one.of_members))
    .map(({ node_id, line }) => `\`${node_id}\` (line ${line})`);
  const meaning = known
    ? `Raised when ${known.when}. ${known.retryable ? "Retrying may help." : "Retrying does not help."}`
    : "A kind of this project.";
  const by = raisers.length > 0 ? `Raised by ${raisers.join(", ")}.` : "No step of this file raises it.";
  return `**${kind}** — ${meaning}\n\n${by}`;
}

function aboutStep(name: string, workflow: LoadedWorkflow): string | undefined {
  const facts = gatherFacts(workflow);
  const node = facts.nodes.get(name);
  const flow = facts.errors.steps.find(({ node_id }) => node_id === name);
  if (!node || !flow) return undefined;
  const described = plainAt(workflow.raw, [...node.path, "description"]);
  const rows = flow.raises.map((one) => `| \`${one.kind}\` | ${handling(one)} |`);
  const table =
    rows.length > 0 ? ["| may raise | handled by |", "|---|---|", ...rows].join("\n") : "It raises nothing.";
  return `**${name}** — ${node.type}${typeof described === "string" ? `. ${described}` : ""}\n\n${table}`;
}

/** Who handles a kind, in words. */
function handling({ handled_by, propagated_by, first = [], resilience }: KindFlow): string {
  const before = first.map(routeText);
  const last = handled_by
    ? routeText(handled_by)
    : propagated_by
      ? `the calling workflow (line ${propagated_by.line})`
      : resilience
        ? "`resilience`, then it leaves the file"
        : "**no route**";
  return [...before, last].join(", then ");
}

const routeText = ({ action, to, line, table, when }: HandledBy): string =>
  `${to === undefined ? action : `${action === "to" ? "" : `${action} `}→ \`${to}\``} (${table === "step" ? "" : `${table}, `}line ${line}${when === undefined ? "" : ", if its condition holds"})`.trim();

/** Commands that the client runs: each is given the address of the file. */
export const CLIENT_COMMANDS = ["segno.run", "segno.test", "segno.graph"] as const;

/** What scenarios took, for the newest text of each workflow and its scenarios. */
export class PlayedScenarios {
  readonly #played = new Map<string, { readonly mark: string; readonly played: Promise<Played | undefined> }>();

  of(desk: Desk, workflow: LoadedWorkflow): Promise<Played | undefined> {
    const files = desk
      .testsOf(workflow.file)
      .filter(({ kind }) => kind === "scenario")
      .map(({ path }) => path);
    const mark = JSON.stringify([...workflow.sources.values(), ...files.map((file) => desk.text(file).text)]);
    const known = this.#played.get(workflow.file);
    if (known?.mark === mark) return known.played;
    const played = playScenarios(workflow, files, desk.session, desk.open).catch(() => undefined);
    this.#played.set(workflow.file, { mark, played });
    return played;
  }

  forget(file: string): void {
    this.#played.delete(file);
  }
}

export async function codeLenses(desk: Desk, path: string, scenarios: PlayedScenarios): Promise<readonly CodeLens[]> {
  const checked = desk.check(path);
  if (checked?.kind !== "workflow") return [];
  const uri = desk.uriOf(path);
  const lenses: CodeLens[] = ["run", "test", "graph"].map((title, index) => ({
    range: START,
    command: { title, command: CLIENT_COMMANDS[index] ?? "", arguments: [uri] },
  }));
  const { workflow } = checked;
  if (!workflow) return lenses;
  const { errors } = gatherFacts(workflow);
  const isRight = !checked.findings.some(({ severity }) => severity === "error");
  const played = isRight ? await scenarios.of(desk, workflow) : undefined;
  for (const { node_id, raises } of errors.steps) {
    const { file, line, column } = workflow.positions.at([...workflow.pathOf(node_id), "name"]);
    if (file !== path) continue;
    const at = editorPosition({ line, column });
    const range = { start: at, end: at };
    const say = (title: string): unknown => lenses.push({ range, command: { title, command: "" } });
    const kinds = raises.filter(({ kind }) => kind !== "*" && isToBeExpected(kind)).length;
    const unhandled = errors.unhandled.filter((one) => one.node_id === node_id && isToBeExpected(one.kind));
    const open = new Set(unhandled.map(({ kind }) => kind)).size;
    if (kinds > 0) say(`${kinds} ${kinds === 1 ? "kind" : "kinds"}, ${open} unhandled`);
    if (played && played.scenarios > 0)
      say(`taken by ${played.taken.get(node_id) ?? 0} of ${played.scenarios} scenarios`);
  }
  return lenses;
}
