// Links the live preview and the editor: a finding's node in the picture, a node's line in its file, and how an editor
// is asked to open it.
import { randomBytes } from "node:crypto";
import { existsSync, type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { isMapping } from "../../base/errors/mapping.ts";
import { parseJson } from "../../base/json/bounded.ts";
import { gatherFacts } from "../../language/analysis/index.ts";
import type { LoadedWorkflow, Location } from "../../language/loaded.ts";
import type { Step } from "../../language/schema/index.ts";
import { writeForUserAlone } from "../../services/project/trust.ts";
import { homeOf } from "../../services/session/home.ts";
import type { Session } from "../../services/session/session.ts";
import { isAlive } from "../../steps/process/private-folder.ts";

const placeSchema = z.strictObject({ file: z.string(), line: z.int().min(1), column: z.int().min(1) });
export type ShownPlace = z.output<typeof placeSchema>;

/** An editor that is there answers within milliseconds, unless the machine is busy. */
const LONGEST_MS = 5000;
const LOOK_MS = 25;

/** Not the home of a project: a clone may bring one, and both sides must mean the same. */
const folderOf = ({ cwd, env }: Session): string => join(homeOf({ cwd, env }), "editors");

/**
 * Leaves a file in a folder of the user's own home: a language server that has the workflow in its workspace takes it away
 * and shows the place. Each that listens has a file there, named after its process: where none is alive, none is waited
 * for. Gives whether an editor has taken it.
 */
export async function showInEditor(place: ShownPlace, session: Session): Promise<boolean> {
  const folder = folderOf(session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!readdirSync(folder).some(isListening)) return false;
  const request = join(folder, `${randomBytes(8).toString("hex")}.json`);
  writeForUserAlone(request, JSON.stringify(place));
  try {
    for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
      if (!existsSync(request)) return true;
      await pause(LOOK_MS);
    }
    return !existsSync(request);
  } finally {
    rmSync(request, { force: true });
  }
}

const LISTENS = /^(\d+)\.listens$/;

const isListening = (name: string): boolean => {
  const pid = Number(LISTENS.exec(name)?.[1]);
  return pid > 0 && isAlive(pid);
};

/** Calls `show` with each place in a file that `isOurs`; gives what ends it. */
export function hearShowRequests(
  session: Session,
  isOurs: (file: string) => boolean,
  show: (place: ShownPlace) => void,
): () => void {
  let watcher: FSWatcher | undefined;
  let mark: string | undefined;
  try {
    const folder = folderOf(session);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder))
      if (LISTENS.test(name) && !isListening(name)) rmSync(join(folder, name), { force: true });
    watcher = watch(folder, { persistent: false }, (_, name) => {
      const place = name?.endsWith(".json") ? taken(join(folder, name), isOurs) : undefined;
      if (place) show(place);
    });
    watcher.on("error", () => watcher?.close());
    mark = join(folder, `${process.pid}.listens`);
    writeForUserAlone(mark, "");
  } catch {
    // No home, or one that is not the user's alone: the preview says that no editor is connected.
  }
  return () => {
    watcher?.close();
    if (mark !== undefined) rmSync(mark, { force: true });
  };
}

/** Of several servers the one that removes the file has it. */
function taken(request: string, isOurs: (file: string) => boolean): ShownPlace | undefined {
  try {
    const { success, data } = placeSchema.safeParse(parseJson(readFileSync(request, "utf8")));
    if (!success || !isOurs(data.file)) return undefined;
    unlinkSync(request);
    return data;
  } catch {
    return undefined;
  }
}

export interface PlacedFinding {
  readonly node_id: string | null;
  /** The steps that lead to its file. */
  readonly via?: readonly string[];
  readonly line: number;
}

/** The picture's id: `package/verify`. Nothing where it is about no step. */
export function nodeOfFinding(root: LoadedWorkflow, { node_id, via = [], line }: PlacedFinding): string | undefined {
  const slots: string[] = [];
  let workflow: LoadedWorkflow | undefined = root;
  for (const name of via) {
    const group: string | undefined = workflow?.definition.for_each.find(({ agent }) => agent.name === name)?.name;
    slots.push(group ?? name);
    workflow = workflow && calledBy(workflow, slots.at(-1) ?? "");
  }
  const node = node_id ?? (workflow && nodeAtLine(workflow, line));
  return node === undefined ? undefined : [...slots, node].join("/");
}

/** The last node that begins above, unless another section of the file does. */
function nodeAtLine(workflow: LoadedWorkflow, line: number): string | undefined {
  const { file, raw, positions } = workflow;
  const { nodes } = gatherFacts(workflow);
  const begins = nodes.all.flatMap(({ name, path }) => {
    const at = positions.at(path);
    return at.file === file && at.line <= line ? [{ name, line: at.line }] : [];
  });
  const found = begins.reduce<(typeof begins)[number] | undefined>(
    (last, one) => (last && last.line > one.line ? last : one),
    undefined,
  );
  const sections = Object.keys(isMapping(raw) ? raw : {}).map((name) => positions.key([name]).line);
  return found && !sections.some((one) => one > found.line && one <= line) ? found.name : undefined;
}

export function placeOfNode(root: LoadedWorkflow, id: string): Location | undefined {
  const slots = id.split("/");
  const name = slots.pop() ?? "";
  let workflow: LoadedWorkflow | undefined = root;
  for (const slot of slots) workflow = workflow && calledBy(workflow, slot);
  if (!workflow || !gatherFacts(workflow).nodes.names.has(name)) return undefined;
  return workflow.positions.at([...workflow.pathOf(name), "name"]);
}

/** The sub-workflow of a step, or of the items of a for_each. */
function calledBy({ definition, children }: LoadedWorkflow, slot: string): LoadedWorkflow | undefined {
  const { agents, for_each } = definition;
  const step: Step | undefined =
    for_each.find(({ name }) => name === slot)?.agent ?? agents.find(({ name }) => name === slot);
  return step?.type === "workflow" ? children.get(step.workflow) : undefined;
}
