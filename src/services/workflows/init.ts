// `segno init`: a first workflow with an error route and a scenario that takes it, or one of the gallery in the package. And
// the example that the page puts where workflows can be started.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { didYouMean, nearest } from "../../base/errors/nearest.ts";
import { type Head, head } from "../../base/results/index.ts";
import { readsAsWorkflow } from "../project/workflow-file.ts";
import { orRefused, refusal } from "../refusals.ts";
import { extensionsFrom } from "../session/extensions.ts";
import { shownPath } from "../session/files.ts";
import { packageFolder } from "../session/home.ts";
import { isBelow } from "../session/path-inside.ts";
import { programName } from "../session/program-name.ts";
import type { Session } from "../session/session.ts";

const WORKFLOW = `# yaml-language-server: $schema=./segno.schema.json
# Checks a page and reports what it found. Try it: segno run hello.yaml -i url=https://example.com/nowhere
workflow:
  name: hello
  description: Fetches a page; a page that is not there takes the error route.
  entry_point: fetch
  input:
    url: { type: string, default: "https://example.com/" }
steps:
  - name: fetch
    type: http
    url: "{{ workflow.input.url }}"
    timeout: 20
    routes:
      - to: report
      # A page that is busy or a network that is down: try again, with growing waits.
      - { on_error: [http.unavailable, http.network, internal.timeout], retry: { max: 2, initial_seconds: 1 } }
      # Whatever is left goes to a step that handles it.
      - { on_error: true, to: explain }
  - name: report
    type: set
    values: { ok: true, status: "{{ fetch.output.status }}" }
  - name: explain
    type: set
    values: { ok: false, why: "{{ error.kind }}: {{ error.message }}" }
output:
  result: "{% if report is defined %}{{ report.output | tojson }}{% else %}{{ explain.output | tojson }}{% endif %}"
`;

const SCENARIO = `# The error route, without a network: segno test
workflow: ../hello.yaml
http_scripts:
  - { url: "https://example.com/*", status: 404, body: not found }
expected_trace:
  agents_executed: [fetch, explain]
  errors_raised: [{ node: fetch, kind: http.status }]
  status: completed
  output_contains: { result: { ok: false } }
`;

export interface InitAnswer extends Head {
  /** What was written. */
  readonly files: readonly string[];
  /** Files that were there before, and were left as they are. */
  readonly kept: readonly string[];
}

interface InitRequest {
  readonly dir: string;
  /** Also a `segno.yaml`, and a plugin. */
  readonly project?: boolean;
  /** A workflow of the gallery, instead of the small one. */
  readonly template?: string;
}

const PROJECT = `# What holds for every workflow of this project. segno validate segno.yaml checks it, segno trust lets it act.
plugins: [./segno-plugins.mjs]
defaults: { durability: process }
`;

/** The step type of the plugin: written there, and part of the schema that is written beside it. */
const SHOUT = {
  type: "shout",
  description: "says it louder",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
} as const;

const PLUGIN = `// Own step types, providers and policies: whatever is exported here can be used by the workflows of this project.
// After a change: segno trust, and segno schema > segno.schema.json for your editor.
import { defineStep, succeeded } from "segno";

/** steps: [{ name: greet, type: shout, text: "hello {{ workflow.input.who }}" }] */
export const shout = defineStep({
  type: "${SHOUT.type}",
  description: "${SHOUT.description}",
  schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => succeeded(text.toUpperCase()),
});
`;

/** As `segno schema` gives it once the project is trusted. */
async function schemaFor(project: boolean): Promise<unknown> {
  const { languageSchema } = await import("./reference.ts");
  if (!project) return languageSchema();
  const shout = { ...SHOUT, version: 1, execute: () => ({ ok: true as const, output: null }) };
  return languageSchema(await extensionsFrom({ steps: [shout] }));
}

export const listTemplates = (
  request: Pick<Session, "reader">,
): Promise<Head & { readonly templates: readonly GalleryEntry[] }> =>
  orRefused(request, { templates: [] }, async () => ({ ...head(0), templates: templates() }));

export const initProject = (session: Session, request: InitRequest): Promise<InitAnswer> =>
  orRefused(session, { files: [], kept: [] }, () => init(session, request));

async function init({ cwd, env }: Session, { dir, project = false, template }: InitRequest): Promise<InitAnswer> {
  const folder = resolve(cwd, dir);
  const workflow =
    template === undefined ? firstWorkflow(project && hasWorkflows(folder)) : templateFiles(template, env);
  const wanted: Readonly<Record<string, string>> = {
    ...workflow,
    // A template may have triggers.
    ...(project ? { "segno.yaml": `${PROJECT}${workflow["segno.yaml"] ?? ""}`, "segno-plugins.mjs": PLUGIN } : {}),
    "segno.schema.json": `${JSON.stringify(await schemaFor(project), null, 2)}\n`,
  };
  const isThere = (name: string): boolean => existsSync(join(folder, name));
  const taken = Object.keys(wanted).filter(isThere);
  // A project is put around what is there; a second one, or a second first workflow, is not.
  if (project ? taken.includes("segno.yaml") : taken.length > 0)
    throw refusal(
      `${taken.join(", ")} ${taken.length === 1 ? "is" : "are"} there already; nothing was written. Choose another folder: ${programName(env)} init DIR`,
    );
  const files = Object.entries(wanted).filter(([name]) => !isThere(name));
  try {
    for (const [name, text] of files) {
      const file = join(folder, name);
      makeFolder(dirname(file));
      writeFileSync(file, text, { flag: "wx", mode: name.endsWith(".sh") ? 0o755 : 0o644 });
    }
  } catch (problem) {
    throw refusal(
      `${dir} cannot be written: ${(problem as Error).message}. Choose another folder: ${programName(env)} init DIR`,
    );
  }
  const shown = (name: string): string => shownPath(join(folder, name), cwd);
  return { ...head(0), files: files.map(([name]) => shown(name)), kept: taken.map(shown) };
}

/** Makes the folders one by one: with `recursive`, Node never returns for a path below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

const firstWorkflow = (hasOne: boolean): Readonly<Record<string, string>> =>
  hasOne ? {} : { "hello.yaml": WORKFLOW, "tests/not-found.scenario.yaml": SCENARIO };

/** Then a first workflow is not what is missing. */
const hasWorkflows = (folder: string): boolean =>
  existsSync(folder) &&
  readdirSync(folder).some((name) => /\.ya?ml$/i.test(name) && readsAsWorkflow(join(folder, name)));

export interface GalleryEntry {
  readonly name: string;
  readonly about: string;
}

/** By name, each with the description of its workflow. */
export function templates(): readonly GalleryEntry[] {
  const folder = gallery();
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name, `${name}.yaml`), "utf8");
      return { name, about: /^ {2}description: (.*)$/m.exec(text)?.[1] ?? "" };
    });
}

/** The files of one, by their path in it with `/`. */
export function templateFiles(name: string, env: Session["env"]): Readonly<Record<string, string>> {
  const names = templates().map((one) => one.name);
  if (!names.includes(name)) {
    const hint = `${didYouMean(nearest(name, names))} List them with: ${programName(env)} init --list`;
    throw refusal(`There is no template \`${name}\`.${hint}`);
  }
  const folder = join(gallery(), name);
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")];
    }),
  );
}

function gallery(): string {
  const folder = join(packageFolder() ?? "", "examples", "gallery");
  if (!existsSync(folder))
    throw refusal("This copy of Segno came without its gallery. Install it again: npm install segno");
  return folder;
}

// Copies an example of the package to where workflows can be started: a first run for users without workflows.

/** What belongs to an example, below `examples/`. */
const EXAMPLES = { release: ["release.yaml", "release"] } as const;
export type ExampleName = keyof typeof EXAMPLES;

const FOLDER = "segno-example";
/** Made by a run of the example. */
const MADE_BY_RUNS: ReadonlySet<string> = new Set(["work"]);

/** Gives the file, relative to the root. An existing copy is not overwritten: the user may have changed it. */
export function putExample(name: ExampleName, root: string): string {
  const home = packageFolder();
  const from = home === undefined ? undefined : join(home, "examples");
  if (from === undefined || !existsSync(join(from, `${name}.yaml`)))
    throw refusal("this copy of Segno came without its examples");
  const to = join(root, FOLDER);
  const stray = strayIn(to, root);
  if (stray !== undefined)
    throw refusal(`the example is not put into ${to}: ${stray} leads out of ${root}. Remove that link, then ask again`);
  if (!existsSync(join(to, `${name}.yaml`))) {
    mkdirSync(to, { recursive: true });
    for (const part of EXAMPLES[name])
      cpSync(join(from, part), join(to, part), {
        recursive: true,
        filter: (source) => !MADE_BY_RUNS.has(basename(source)),
      });
  }
  return `${FOLDER}/${name}.yaml`;
}

/** The folder itself, or what is in it already, when it is a link to elsewhere: what is copied would be written there. */
function strayIn(folder: string, root: string): string | undefined {
  if (!isBelow(folder, root)) return folder;
  if (!existsSync(folder)) return undefined;
  const links = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isSymbolicLink());
  return links.map((one) => join(one.parentPath, one.name)).find((link) => !isBelow(link, root));
}
