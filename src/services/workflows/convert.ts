// `segno convert FILE --to steps`: a file of Conductor's dialect as one of Segno's that does the same. The text is edited,
// so comments and layout stay. What no field can say is refused, with its line.
import { resolve } from "node:path";
import { type Entry, findingEntries, type Head, head } from "../../base/results/index.ts";
import { exitCodeReads } from "../../language/analysis/exit-codes.ts";
import { gatherFacts, optingInOf } from "../../language/analysis/index.ts";
import type { StepNode } from "../../language/analysis/nodes.ts";
import type { Site } from "../../language/analysis/sites.ts";
import { composeFile } from "../../language/include.ts";
import type { Finding, LoadedWorkflow, LoadWorld, NodePath } from "../../language/loaded.ts";
import { mayFailByExit, raisesSchemaViolation } from "../../language/schema/opting-in.ts";
import { allowedWork } from "../../language/schema/section-defaults.ts";
import { type MappingTree, sourceFile, type Tree, type TreeEntry, treeAt, treeValue } from "../../language/tree.ts";
import { validateWorkflow } from "../../language/validate.ts";
import { isCodeFile } from "../own-steps/definition.ts";
import { knownFor } from "../project/people-of-run.ts";
import { invalidWorkflow, orRefusedAtOnce, refusal } from "../refusals.ts";
import { filesOf, shownPath } from "../session/files.ts";
import type { Session } from "../session/session.ts";
import { dialectDifferences } from "./dialect-differences.ts";
import { validWorkflow } from "./valid-workflow.ts";

export interface ConvertAnswer extends Head {
  readonly file: string;
  /** The file as it is to be; null where it was refused. */
  readonly text: string | null;
}

export const convertToSteps = (session: Session, { file }: { readonly file: string }): ConvertAnswer =>
  orRefusedAtOnce(session, { file, text: null }, () => {
    const path = resolve(session.cwd, file);
    if (isCodeFile(path)) throw refusal(`${file} is code, which follows Segno's rules already`);
    const workflow = validWorkflow(path, session, { asChild: true });
    if (workflow.dialect === "steps")
      throw refusal(`${file} has no \`agents:\`, so it follows Segno's rules already: there is nothing to convert`);
    const { text, findings } = convertedText(workflow, filesOf(session));
    const refused = findings.filter(({ severity }) => severity === "error");
    if (refused.length > 0) throw invalidWorkflow(refused, path, session.cwd);
    requireValid(text, path, session);
    const { warnings } = findingEntries(findings, { path: (place) => shownPath(place, session.cwd) });
    return { ...head(0, [], warnings as Entry[]), file: shownPath(path, session.cwd), text };
  });

/** The text of the file as one with `steps:`. Where a finding is an error, it would not do the same. */
export const convertedText = (workflow: LoadedWorkflow, world: LoadWorld): ReturnType<Conversion["result"]> =>
  new Conversion(workflow, world).result();

/** What a file with `agents:` may say and one with `steps:` may not is found by the rules. */
function requireValid(text: string, path: string, session: Session): void {
  const files = filesOf(session);
  const read: LoadWorld["read"] = (file) => (file === path ? Buffer.from(text) : files.read(file));
  const { findings } = validateWorkflow(path, { ...files, read }, { ...knownFor(path, session), asChild: true });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw invalidWorkflow(errors, path, session.cwd);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const RULE = "no-counterpart";

const mcpDiffers = (name: string): string =>
  `The output of \`${name}\` is \`{content, structured, is_error}\` with the fields of \`structured\` beside in a file with \`agents:\`, and the tool's structured content or \`{content}\` in one with \`steps:\`, where a tool's own error is raised. No field says otherwise. Put the step into a file of its own with \`agents:\`, and call that with \`type: workflow\`.`;

class Conversion {
  readonly #findings: Finding[] = [];
  readonly #edits = new Map<number, Edit>();
  readonly #tree: Tree | undefined;
  readonly #text: string;

  constructor(
    private readonly workflow: LoadedWorkflow,
    world: LoadWorld,
  ) {
    this.#text = workflow.sources.get(workflow.file) ?? "";
    this.#tree = composeFile(sourceFile(workflow.file, this.#text), { world, sources: new Map() }).tree;
    this.#convert();
  }

  result(): { readonly text: string; readonly findings: readonly Finding[] } {
    const edits = [...this.#edits.values()].sort((a, b) => b.start - a.start);
    const text = edits.reduce((so, { start, end, text: put }) => so.slice(0, start) + put + so.slice(end), this.#text);
    return { text, findings: this.#findings };
  }

  #convert(): void {
    const { definition } = this.workflow;
    this.#renameList();
    const { max_iterations, max_visits } = definition.workflow.limits;
    if (max_iterations === undefined && max_visits === undefined) this.#setLimit(allowedWork(definition).iterations);
    const facts = gatherFacts(this.workflow);
    for (const node of facts.nodes.all) if (node.kind === "step") this.#convertStep(node, facts);
    for (const group of definition.for_each)
      if (group.failure_mode === "continue_on_error" && !group.key_by && group.failed_items === undefined)
        this.#addField(this.workflow.pathOf(group.name), "failed_items: omit", "failure_mode");
    for (const { path, message } of dialectDifferences(this.workflow)) this.#report("error", path, message);
    this.#checkDefaults();
  }

  #renameList(): void {
    const place = this.#tree?.kind === "mapping" ? this.#tree.entries.get("agents")?.key : undefined;
    if (place?.source.path === this.workflow.file)
      this.#edit(place.start, place.end, this.#text.slice(place.start, place.end).replace("agents", "steps"));
    else this.#report("error", ["agents"], ELSEWHERE);
  }

  #convertStep(node: StepNode, facts: ReturnType<typeof gatherFacts>): void {
    const { step, path } = node;
    const opting = optingInOf(node, facts.nodes, this.workflow);
    const isData = step.type === "script" && !mayFailByExit(opting);
    if (isData) {
      if (step.ok_exit_codes === undefined) this.#addField(path, "ok_exit_codes: any", "command");
      for (const { site, line, column } of exitCodeReads(node, facts))
        this.#checkExitCode(site, { line, column }, node);
    }
    if (step.type === "mcp") this.#report("error", path, mcpDiffers(step.name));
    const mayMisfit =
      step.type === "agent" || ("output" in step && step.output !== undefined && step.type !== "workflow");
    if (mayMisfit && !("schema_violation" in step && step.schema_violation) && !raisesSchemaViolation(opting))
      this.#addField(path, "schema_violation: data");
  }

  /** Of a command that a signal ended, Conductor's exit code is below 0, and Segno's above 127. */
  #checkExitCode(site: Site, at: { line: number; column: number }, node: StepNode): void {
    const message = `the exit code of ${node.name}: of a command that is ended by signal 9 it is -9 in a file with \`agents:\` and 137 in one with \`steps:\``;
    const use = useOfSignals(site);
    if (use === "shown") this.#report("warning", site.path, `This shows ${message}.`, at);
    if (use !== "depends") return;
    const instead = "Compare it with 0 or another code up to 127 by `==` or `!=`, then convert the file.";
    this.#report("error", site.path, `This depends on ${message}. ${instead}`, at);
  }

  #checkDefaults(): void {
    if (!this.#tree) return;
    treeValue(this.#tree, ({ value }, path) => {
      for (const [whole, name = ""] of String(value).matchAll(/(?<!\$)\$\{([A-Za-z_]\w*):-[^}]+\}/g))
        this.#report(
          "error",
          path,
          `Where ${name} is set and empty, \`${whole}\` is empty in a file with \`agents:\`, and its default in one with \`steps:\`. Write \`\${${name}:-}\` or the value itself, or make it an input with a default, then convert the file.`,
        );
    });
  }

  #setLimit(most: number): void {
    const path = ["workflow", "limits"];
    const section = this.#tree && treeAt(this.#tree, ["workflow"]);
    const limits = section?.kind === "mapping" ? section.entries.get("limits") : undefined;
    const limit = `max_iterations: ${most}`;
    if (!limits) this.#addField(["workflow"], `limits: { ${limit} }`);
    else if (limits.value.kind === "mapping" && limits.value.entries.size > 0) this.#addField(path, limit);
    else {
      const { start, end } = limits.value.place;
      // `limits:` with nothing behind it.
      const colon = this.#text.indexOf(":", limits.key.end) + 1;
      if (start === end) this.#edit(colon, colon, ` { ${limit} }`);
      else this.#edit(start, end, `{ ${limit} }`);
    }
  }

  /** Adds a field to a mapping, behind `after` or another field that stands on one line. */
  #addField(path: NodePath, field: string, after = ""): void {
    const mapping = this.#tree && treeAt(this.#tree, path);
    const entry = mapping?.kind === "mapping" ? this.#ownEntry(mapping, after) : undefined;
    if (!mapping || !entry) this.#report("error", path, ELSEWHERE);
    else if (this.#text[mapping.place.start] === "{") this.#edit(entry.end, entry.end, `, ${field}`);
    else {
      const indent = entry.start - this.#text.lastIndexOf("\n", entry.start - 1) - 1;
      const [rest = ""] = /^[^\r\n]*/.exec(this.#text.slice(entry.end)) ?? [];
      const at = entry.end + rest.length;
      this.#edit(at, at, `${this.#text.includes("\r\n") ? "\r\n" : "\n"}${" ".repeat(indent)}${field}`);
    }
  }

  /** A field that is written in the mapping itself, with its value on one line: not one that `<<` or an alias brings. */
  #ownEntry({ entries, place }: MappingTree, preferred: string): { start: number; end: number } | undefined {
    const isOwn = ({ key, value }: TreeEntry): boolean =>
      key.source.path === this.workflow.file &&
      value.place.source === key.source &&
      key.start >= place.start &&
      value.place.start > key.start &&
      value.place.end <= place.end &&
      value.kind === "scalar" &&
      value.value !== null &&
      !["literal", "folded", "text"].includes(value.style);
    const own = [...entries].filter(([, entry]) => isOwn(entry));
    const [, entry] = own.find(([name]) => name === preferred) ?? own[0] ?? [];
    return entry && { start: entry.key.start, end: entry.value.place.end };
  }

  #edit(start: number, end: number, text: string): void {
    const before = this.#edits.get(start);
    this.#edits.set(start, before ? { ...before, text: before.text + text } : { start, end, text });
  }

  #report(severity: Finding["severity"], path: NodePath, message: string, at?: { line: number; column: number }): void {
    const { positions } = this.workflow;
    const location = at ? positions.inside(path, at.line, at.column) : positions.at(path);
    this.#findings.push({ rule: RULE, severity, message, location, suggestions: [] });
  }
}

const ELSEWHERE =
  "This is not written out here: it comes from `!file`, an alias or `<<`, and other places may use the same. Write it out, then convert the file.";

const COMPARED = /\bexit_code\b['")\]]*\s*[!=]=\s*(\d+)\b|\b(\d+)\s*[!=]=\s*[\w.'"[\]()]*\bexit_code\b['")\]]*/g;

/**
 * What a text makes of -9 where it had 137: the same if it only asks whether the exit code is another one; it may show it,
 * or depend on it in another way.
 */
function useOfSignals({ source, dialect }: Pick<Site, "source" | "dialect">): "same" | "shown" | "depends" {
  if (!source.includes("exit_code")) return "shown";
  const rest = source.replace(COMPARED, (whole, right?: string, left?: string) =>
    Number(right ?? left) < 128 ? "" : whole,
  );
  if (!rest.includes("exit_code")) return "same";
  const isExpression = dialect === "condition" && !rest.includes("{{");
  const tags = isExpression ? [rest] : (rest.match(/\{[{%][\s\S]*?[%}]\}/g) ?? []);
  const isShown = (tag: string): boolean =>
    /^\{\{[^<>=!+*/%-]*\}\}$/.test(tag) && !/\b(?:if|in|not|and|or)\b/.test(tag);
  return dialect !== "condition" && tags.every((tag) => !tag.includes("exit_code") || isShown(tag))
    ? "shown"
    : "depends";
}
