// The workflow file as a scenario wants it: with other values (`set`), or ended after one of its steps (`until`). Edited as
// it is read, so that the run pins, checks and shows what it was driven with.
import { nearest } from "../../errors/nearest.ts";
import type { LoadWorld } from "../../language/loaded.ts";
import { TOP_KEYS } from "../../language/schema/names.ts";
import { workflowSection } from "../../language/schema/workflow-section.ts";
import { shapeOf } from "../../language/schema-at.ts";
import { yamlLibrary } from "../../language/yaml-library.ts";

export interface Edits {
  /** By path: `runtime.default_model`, `classify.prompt`, `output.label`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** The last step; the output of the run is then `{result: …}`, with the output of that step. */
  readonly until?: string | undefined;
}

/** The files, of which that one is read as edited. */
export function editedFiles<Files extends LoadWorld>(files: Files, file: string, edits: Edits): Files {
  const { set = {}, until } = edits;
  if (Object.keys(set).length === 0 && until === undefined) return files;
  return {
    ...files,
    read: (path) =>
      path === file ? Buffer.from(editedText(Buffer.from(files.read(path)).toString("utf8"), edits)) : files.read(path),
  };
}

export interface WrongEdit {
  /** The entry of `set`; nothing for `until`. */
  readonly path?: string;
  readonly message: string;
  /** What would be right there instead. */
  readonly suggestions: readonly string[];
}

/** Edits that the file has no place for, each as a sentence. */
export function wrongEdits(text: string, { set = {}, until }: Edits): readonly WrongEdit[] {
  const doc = yamlLibrary().parseDocument(text);
  if (doc.errors.length > 0) return [];
  const names = [...namedItems(doc).keys()];
  const wrongAt = (message: string, name: string, rest: readonly string[] = []): WrongEdit => {
    const found = nearest(name, rest.length > 0 ? [...names, ...workflowFields()] : names);
    return {
      message: found[0] === undefined ? message : `${message}; did you mean ${found[0]}?`,
      suggestions: found.map((right) => [right, ...rest].join(".")),
    };
  };
  const wrong = Object.keys(set).flatMap((path) => {
    const where = placeOf(doc, path);
    const parent = where && doc.getIn(where.slice(0, -1));
    if (where && (parent === undefined || yamlLibrary().isCollection(parent))) return [];
    const [head = "", ...rest] = path.split(".");
    return [{ path, ...wrongAt(`${path} is no place in the workflow file`, head, rest) }];
  });
  if (until === undefined || names.includes(until)) return wrong;
  return [...wrong, wrongAt(`no step of the workflow file is called ${until}`, until)];
}

type Document = ReturnType<ReturnType<typeof yamlLibrary>["parseDocument"]>;
type YamlPath = (string | number)[];

/** What cannot be read stays as it is: the loader says what is wrong with it. */
function editedText(text: string, { set = {}, until }: Edits): string {
  const doc = yamlLibrary().parseDocument(text);
  if (doc.errors.length > 0) return text;
  for (const [path, value] of Object.entries(set)) {
    const where = placeOf(doc, path);
    if (where) doc.setIn(where, doc.createNode(value));
  }
  if (until !== undefined) endAfter(doc, until);
  return doc.toString({ lineWidth: 0 });
}

/** Where steps and groups stand, by name. */
function namedItems(doc: Document): ReadonlyMap<string, YamlPath> {
  const found = new Map<string, YamlPath>();
  const note = (path: YamlPath): void => {
    const name = doc.getIn([...path, "name"]);
    if (typeof name === "string" && !found.has(name)) found.set(name, path);
  };
  for (const list of ["agents", "steps", "parallel", "for_each"]) {
    const items = doc.get(list);
    if (!yamlLibrary().isSeq(items)) continue;
    for (const index of items.items.keys()) {
      note([list, index]);
      if (list === "for_each") note([list, index, "agent"]);
    }
  }
  return found;
}

/** Beginning with a section, the name of a step, or a field of `workflow`. */
function placeOf(doc: Document, path: string): YamlPath | undefined {
  const parts = path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const [head = "", ...rest] = parts;
  if (parts.includes("") || rest.includes("__proto__")) return undefined;
  const items = namedItems(doc);
  const item = items.get(String(head));
  if (item) return rest.length > 0 ? [...item, ...rest] : undefined;
  const listed = head === "agents" || head === "steps" ? items.get(String(rest[0])) : undefined;
  if (listed) return rest.length > 1 ? [...listed, ...rest.slice(1)] : undefined;
  if ((TOP_KEYS as readonly (string | number)[]).includes(head)) return rest.length > 0 ? parts : undefined;
  return rest.length > 0 && workflowFields().includes(String(head)) ? ["workflow", ...parts] : undefined;
}

const workflowFields = (): readonly string[] => Object.keys(shapeOf(workflowSection()) ?? {});

/** The step goes to the end. What it tries again, it still does; errors that other steps would have handled end the run. */
function endAfter(doc: Document, step: string): void {
  const place = namedItems(doc).get(step);
  if (!place) return;
  const read = (field: string): unknown => {
    const node = doc.getIn([...place, field], true);
    return yamlLibrary().isNode(node) ? node.toJS(doc) : undefined;
  };
  const routes = read("routes");
  const retries = (Array.isArray(routes) ? routes : []).filter(
    (route) => route?.retry !== undefined && route.to === undefined,
  );
  const options = read("options");
  if (Array.isArray(options))
    doc.setIn(
      [...place, "options"],
      options.map((option) => ({ ...option, route: "$end" })),
    );
  else doc.setIn([...place, "routes"], [{ to: "$end" }, ...retries]);
  doc.deleteIn(["workflow", "error_routes"]);
  const isStep = place[0] === "agents" || place[0] === "steps";
  doc.set("output", doc.createNode({ result: isStep ? `{{ ${step}.output }}` : `{{ ${step} }}` }));
}
