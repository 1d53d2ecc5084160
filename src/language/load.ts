// Reads a workflow file and the files that it calls, each once; a file that calls itself is one object. Never throws
// for what a file holds: everything wrong is a finding.
import { dirname, isAbsolute, resolve } from "node:path";
import { isMapping } from "../base/errors/mapping.ts";
import { pathWithin } from "../base/errors/path-within.ts";
import type { StepTypes } from "../steps/types.ts";
import { passOverEmptyValues } from "./absent-values.ts";
import { readBySchema, settleBySchema, warnWithoutEffect } from "./by-schema.ts";
import { composeFile, readInstructions, readNamedTemplates, readSkills, templatesAt } from "./include.ts";
import {
  type Finding,
  found,
  inOrder,
  type LoadedWorkflow,
  type LoadWorld,
  type Location,
  type NodePath,
  stepsOf,
  writtenAt,
} from "./loaded.ts";
import { checkSecrets } from "./named-secrets.ts";
import { Page } from "./page.ts";
import { endOfPlace } from "./positions.ts";
import { reportKeyAtOtherAddress } from "./provider-address.ts";
import { quickFile } from "./quick/quick-file.ts";
import { readsQuickly } from "./quick/yaml.ts";
import { stepsKeyOf } from "./schema/names.ts";
import { type RecordedSemantics, semanticsOf } from "./schema/semantics.ts";
import { locate, readSource, type SourceFile, type Tree, treeValue } from "./tree.ts";

export interface LoadOptions {
  /** Step types beside the language's own, by name. */
  readonly stepTypes?: StepTypes;
  /** Of a further drive: what the run recorded when it began. It counts instead of what files mean in this release. */
  readonly semantics?: RecordedSemantics;
}

export interface Load {
  /** Absent when the file cannot be read as a workflow at all. */
  readonly workflow?: LoadedWorkflow;
  /** Of this file and of those it calls, in the order of the files. */
  readonly findings: readonly Finding[];
  /** Every file that was read, absolute path → text, also when there is no workflow. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads a workflow file: YAML, `!file`, environment, schema, sub-workflows. What it finds is about form; whether
 * routes lead somewhere and kinds are handled is for `validateWorkflow`.
 *
 * @example
 * const { workflow, findings } = loadWorkflow("/work/release.yaml", world);
 */
export function loadWorkflow(file: string, world: LoadWorld, options: LoadOptions = {}): Load {
  const path = resolve(file);
  const family = new Family(world, options);
  const read = readSource(path, world);
  if (!read.ok) family.report(read.rule, { file: path, line: 1, column: 1 }, read.message, []);
  const workflow = read.ok ? family.load(read.source, []) : undefined;
  return { ...(workflow ? { workflow } : {}), findings: inOrder(family.findings, path), sources: family.sources };
}

interface Member extends LoadedWorkflow {
  readonly children: Map<string, LoadedWorkflow>;
}

/** Far more than may nest at run time, which a rule says; this only keeps a runaway chain of files from being read. */
const DEEPEST = 50;

/** A file without it is not read on: findings quote lines, and a path in a workflow may name any file of the machine. */
const SAYS_WORKFLOW = /\bworkflow["']?\s*:/;

class Family {
  readonly findings: Finding[] = [];
  readonly #sources: ReadonlyMap<string, string>[] = [];
  readonly #members = new Map<string, Member | undefined>();

  constructor(
    private readonly world: LoadWorld,
    private readonly options: LoadOptions,
  ) {}

  /** Every file that was read, also of those that did not become a workflow. */
  get sources(): ReadonlyMap<string, string> {
    return new Map(this.#sources.flatMap((sources) => [...sources]));
  }

  report(rule: string, location: Location, message: string, via: readonly string[], end?: Finding["end"]): void {
    this.#add([{ rule, severity: "error", message, location, suggestions: [], ...(end ? { end } : {}) }], via);
  }

  /** Loads a file and all that it calls. `via` are the steps that led here. */
  load(source: SourceFile, via: readonly string[]): LoadedWorkflow | undefined {
    const { path } = source;
    this.#members.set(path, undefined);
    const sources = new Map([[path, source.text]]);
    this.#sources.push(sources);
    const undecided: Tree[] = [];
    const reading = { world: this.world, sources, taken: new Map(), undecided };
    const composed = composeFile(source, reading);
    const isSettled = undecided.length === 0 || !composed.tree;
    const settled = isSettled ? undefined : settleBySchema(composed.tree, this.options.stepTypes);
    const tree = settled?.tree ?? composed.tree;
    const problems = [...composed.problems, ...(settled?.problems ?? [])];
    for (const { rule, message, place } of problems) {
      const { line, column } = endOfPlace(place);
      this.report(rule, locate(place.source, place.start), message, via, { line, column });
    }
    if (tree?.kind !== "mapping") {
      if (problems.length === 0) this.#reportRoot(path, tree, via);
      return undefined;
    }
    const dialect = stepsKeyOf({ agents: tree.entries.get("agents") });
    const semantics = semanticsOf(dialect, this.options.semantics);
    const page = new Page(tree, this.world.env, semantics);
    const value = isMapping(page.value) ? page.value : {};
    if (semantics.passesOverEmptyValues) passOverEmptyValues(value);
    const { stepTypes } = this.options;
    const quick = readsQuickly(this.world) ? quickFile(value, semantics, stepTypes) : undefined;
    const { definition, paths } = quick ?? readBySchema(value, page, stepTypes);
    const file = path;
    const dir = dirname(path);
    const { positions } = page;
    const pathOf = (node: string): NodePath => paths.get(node) ?? [];
    const place = { file, dir, definition, positions, pathOf };
    // Every field by name: an object that is spread into another one is slow to read in every step of its run.
    const member: Member = {
      file,
      dir,
      dialect,
      definition,
      positions,
      pathOf,
      raw: treeValue(tree),
      sources,
      children: new Map(),
      standIns: page.standIns,
      instructions: readInstructions(place, reading, page),
      skills: readSkills(place, reading, page),
      templatesAt: (at) => templatesAt(at, place, reading),
    };
    this.#members.set(path, member);
    if (!quick) warnWithoutEffect(value, page, stepTypes);
    readTemplatesOf(member);
    checkPolicyModules(member, this.world, page);
    checkSecrets(member, this.world, page);
    checkSettingsFolders(member, this.world, page);
    checkProviders(member, this.world, page);
    this.#loadChildren(member, page, via);
    return member;
  }

  #loadChildren(member: Member, page: Page, via: readonly string[]): void {
    const opened: { readonly source: SourceFile; readonly node: string; readonly as: string }[] = [];
    for (const { node, as, file, path } of callsOf(member, page)) {
      if (this.#members.has(file)) {
        opened.push({ source: { path: file } as SourceFile, node, as });
        continue;
      }
      if (via.length + 1 > DEEPEST) {
        page.report(
          "sub-workflow-depth",
          path,
          `Sub-workflows nest more than ${DEEPEST} deep here (${[...via, node].join(" → ")}). Call this file from further up.`,
          { node },
        );
        continue;
      }
      const read = readSource(file, this.world);
      const relativeTo = `The path is relative to \`${member.file}\`.`;
      if (!read.ok) page.report(read.rule, path, `${read.message} ${relativeTo}`, { node });
      else if (!SAYS_WORKFLOW.test(read.source.text))
        page.report("wrong-type", path, `\`${file}\` is not a workflow file: it has no \`workflow:\`. ${relativeTo}`, {
          node,
        });
      else opened.push({ source: read.source, node, as });
    }
    this.#add(page.findings, via);
    for (const { source, node, as } of opened) {
      const child = this.#members.has(source.path) ? this.#members.get(source.path) : this.load(source, [...via, node]);
      if (child) member.children.set(as, child);
    }
  }

  #reportRoot(path: string, tree: Tree | undefined, via: readonly string[]): void {
    const what = tree ? `it is ${found(treeValue(tree))}` : "it is empty";
    const rule = tree ? "wrong-type" : "yaml-syntax";
    this.report(
      rule,
      { file: path, line: 1, column: 1 },
      `A workflow file is a mapping with \`workflow:\` and \`steps:\`, but ${what}.`,
      via,
    );
  }

  #add(findings: readonly Finding[], via: readonly string[]): void {
    for (const finding of findings) this.findings.push(via.length > 0 ? { ...finding, via } : finding);
  }
}

function readTemplatesOf({ definition, pathOf, templatesAt: templates }: LoadedWorkflow): void {
  for (const step of stepsOf(definition)) {
    if (step.type !== "agent") continue;
    for (const field of ["prompt", "system_prompt"] as const) {
      const load = step[field]?.includes("{%") ? templates([...pathOf(step.name), field]) : undefined;
      if (load) readNamedTemplates(step[field] ?? "", load);
    }
  }
}

type Place = Pick<LoadedWorkflow, "definition" | "dir">;

/**
 * Modules that `policies` names: whether they are where a run would look for them. They are not loaded here, since
 * validation runs no code of a workflow.
 */
function checkPolicyModules({ definition, dir }: Place, world: LoadWorld, page: Page): void {
  for (const [index, { module }] of definition.workflow.policies.entries()) {
    const path = ["workflow", "policies", index, "module"];
    if (module === undefined || page.isIncomplete(path)) continue;
    const file = resolve(dir, module);
    if (!world.exists(file))
      page.report(
        "missing-file",
        path,
        `There is no file \`${file}\`, so the policy module \`${module}\` would deny every step. The path is relative to this file's folder.`,
      );
    // An absolute path may lead back in over a link, which only a run follows.
    else if (!isAbsolute(module) && pathWithin(dir, file) === undefined)
      page.report(
        "unreadable-file",
        path,
        `The policy module \`${module}\` is not below this file's folder, \`${dir}\`, and only code from there is loaded. Move it there.`,
      );
  }
}

/** Folders that `settings_dir` of agents names; one that is a template is looked for when the agent starts. */
function checkSettingsFolders({ definition, dir, pathOf }: LoadedWorkflow, world: LoadWorld, page: Page): void {
  for (const step of stepsOf(definition)) {
    const written = step.type === "agent" ? step.settings_dir?.trim() : undefined;
    const path = [...pathOf(step.name), "settings_dir"];
    if (!written || /\{[{%]/.test(written) || page.isIncomplete(path)) continue;
    const folder = resolve(dir, written);
    if (!world.exists(folder))
      page.report(
        "missing-file",
        path,
        `There is no folder \`${folder}\`. \`settings_dir\` is relative to this file.`,
        { node: step.name },
      );
  }
}

/** Whether a key of the environment would go to an address that the file names. */
function checkProviders({ definition, raw, pathOf }: LoadedWorkflow, { env }: LoadWorld, page: Page): void {
  const check = (provider: unknown, path: NodePath, node?: string): void =>
    reportKeyAtOtherAddress(provider, writtenAt(raw, path), path, env, page, node);
  check(definition.workflow.runtime.provider, ["workflow", "runtime", "provider"]);
  for (const step of stepsOf(definition))
    if (step.type === "agent") check(step.provider, [...pathOf(step.name), "provider"], step.name);
}

/** Which files a workflow calls: the `workflow:` of its steps, as paths. */
interface FileCall {
  readonly node: string;
  /** The file as the step writes it. */
  readonly as: string;
  /** Absolute. */
  readonly file: string;
  /** Where the step names it. */
  readonly path: NodePath;
}

/** `name@registry`, `name@owner/repo#ref`: Conductor fetches these; Segno runs files. */
const REGISTRY = /^[\w.-]+@[\w.-]+(\/[\w.-]+)?(#.*)?$/;

function callsOf(workflow: LoadedWorkflow, page: Page): FileCall[] {
  const { definition, dir, pathOf } = workflow;
  const steps = stepsOf(definition);
  return steps.flatMap((step): FileCall[] => {
    if (step.type !== "workflow" || step.workflow === "") return [];
    const path = [...pathOf(step.name), "workflow"];
    const refuse = (rule: string, message: string): FileCall[] => {
      page.report(rule, path, message, { node: step.name });
      return [];
    };
    if (page.isIncomplete(path)) return [];
    if (step.workflow.includes("{{"))
      return refuse(
        "wrong-type",
        `\`workflow\` of step \`${step.name}\` must be a fixed path, so that the file can be checked before the run. To choose between files, use one step for each and a route with \`when\`.`,
      );
    if (REGISTRY.test(step.workflow))
      return refuse(
        "unsupported-option",
        `Step \`${step.name}\` calls \`${step.workflow}\` from a registry, which Segno does not have. Save that workflow beside this file and give its path: \`workflow: ./${step.workflow.split("@")[0]}.yaml\`.`,
      );
    return [{ node: step.name, as: step.workflow, file: resolve(dir, step.workflow), path }];
  });
}
