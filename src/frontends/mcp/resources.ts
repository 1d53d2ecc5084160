// What a client can read: the language, the kinds of errors, the schemas, each run's result and events; and the one prompt.
import {
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type TextResourceContents,
} from "@modelcontextprotocol/server";
import { Refused } from "../../services/refusals.ts";
import { ofRunsBelow, requireRunBelow } from "../../services/runs/roots.ts";
import {
  listRuns,
  type RunsAnswer,
  type RunsRequest,
  runEvents,
  showRun,
  UnknownRun,
} from "../../services/runs/runs.ts";
import type { Session } from "../../services/session/session.ts";
import {
  cheatSheet,
  kindsReference,
  languageReference,
  languageSchema,
  NODE_TYPES,
  nodeSchema,
  schemaOfResult,
} from "../../services/workflows/reference.ts";

const JSON_TYPE = "application/json";
const LINES = "application/x-ndjson";
const MARKDOWN = "text/markdown";

interface Page extends Resource {
  read(): string | Promise<string>;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

const PAGES: readonly Page[] = [
  {
    uri: "segno://cheat-sheet",
    name: "cheat-sheet",
    title: "The language on one page",
    description: "Enough to write a workflow with error routes, retries, gates, groups, sub-workflows and scenarios.",
    mimeType: MARKDOWN,
    read: cheatSheet,
  },
  {
    uri: "segno://language",
    name: "language",
    title: "The language",
    description: "What a workflow file may say.",
    mimeType: MARKDOWN,
    read: languageReference,
  },
  {
    uri: "segno://kinds",
    name: "kinds",
    title: "Kinds of errors",
    description: "Every kind that the engine raises, when, with which details, and who can do something about it.",
    mimeType: MARKDOWN,
    read: kindsReference,
  },
  {
    uri: "segno://schema/workflow",
    name: "workflow-schema",
    title: "Schema of workflow files",
    description: "JSON Schema of a workflow file.",
    mimeType: JSON_TYPE,
    read: () => pretty(languageSchema()),
  },
  {
    uri: "segno://schema/result",
    name: "result-schema",
    title: "Schema of results",
    description: "JSON Schema of the object that every run is answered with.",
    mimeType: JSON_TYPE,
    read: async () => pretty(await schemaOfResult()),
  },
  ...NODE_TYPES.map((type) => ({
    uri: `segno://schema/step/${type}`,
    name: `${type}-schema`,
    title: `Schema of ${type}`,
    description: `JSON Schema of one ${type}${type === "parallel" || type === "for_each" ? " group" : " step"}.`,
    mimeType: JSON_TYPE,
    read: () => pretty(nodeSchema(type)),
  })),
];

/** What can be read of each run. */
const PARTS = [
  { part: "result", title: "Result", description: "How a run stands or ended.", mimeType: JSON_TYPE },
  { part: "events", title: "Events", description: "A run's journal, redacted, one event a line.", mimeType: LINES },
];

export const RESOURCE_TEMPLATES = PARTS.map(({ part, title, description, mimeType }) => ({
  uriTemplate: `segno://runs/{run_id}/${part}`,
  name: `run-${part}`,
  title: `${title} of a run`,
  description,
  mimeType,
}));

const MOST_RUNS = 50;

/** Among how many of the newest runs those below the roots are looked for. */
const MOST_LOOKED_AT = 500;

/** Below no root there are no runs: only the pages. */
export async function listResources(session: Session, roots: readonly string[] | undefined): Promise<Resource[]> {
  const shown = roots ? (await runsBelow(roots, session)).runs : [];
  return [
    ...PAGES.map(({ read: _, ...page }) => page),
    ...shown
      .slice(0, MOST_RUNS)
      .flatMap(({ run_id, workflow, status }) =>
        PARTS.map(({ part, title, mimeType }) => ({
          uri: `segno://runs/${run_id}/${part}`,
          name: `${run_id} ${part}`,
          title: `${title} of ${workflow ?? "a run"}`,
          description: `Run ${run_id}, ${status}.`,
          mimeType,
        })),
      ),
  ];
}

/** The newest runs of files below the roots. */
export async function runsBelow(
  roots: readonly string[],
  session: Session,
  wanted: Omit<RunsRequest, "limit"> = {},
): Promise<RunsAnswer> {
  const answer = await listRuns(session, { ...wanted, limit: MOST_LOOKED_AT });
  return { ...answer, runs: await ofRunsBelow(answer.runs, roots, session) };
}

export async function readResource(
  uri: string,
  session: Session,
  roots: readonly string[],
): Promise<TextResourceContents> {
  const page = PAGES.find((one) => one.uri === uri);
  if (page) return { uri, mimeType: page.mimeType, text: await page.read() };
  const [, run, part] = /^segno:\/\/runs\/([0-9A-Za-z]+)\/(result|events)$/.exec(uri) ?? [];
  if (run === undefined) throw missing(uri);
  await requireRunBelow(run, roots, session).catch((problem: unknown) => {
    throw problem instanceof Refused ? missing(uri) : problem;
  });
  if (part === "events") return { uri, mimeType: LINES, text: await eventLines(uri, run, session) };
  const result = await showRun(session, { run });
  if (result.run_id === null) throw missing(uri);
  return { uri, mimeType: JSON_TYPE, text: pretty(result) };
}

async function eventLines(uri: string, run: string, session: Session): Promise<string> {
  let text = "";
  try {
    for await (const event of runEvents(session, { run })) text += `${JSON.stringify(event)}\n`;
  } catch (problem) {
    if (problem instanceof UnknownRun) throw missing(uri);
    throw problem;
  }
  return text;
}

const missing = (uri: string): Error => new ResourceNotFoundError(uri, `there is nothing at ${uri}`);

export const AUTHOR_PROMPT = {
  name: "workflow_author",
  title: "Write and repair workflows",
  description: "How to write a workflow for Segno and how to repair one whose run failed.",
  arguments: [
    { name: "task", description: "what the workflow should do", required: false },
    { name: "run_id", description: "a failed run that should be repaired", required: false },
  ],
};

const GUIDE = `You write and repair Segno workflows: YAML files whose steps run in the order that their routes say.

A small one:

\`\`\`yaml
workflow:
  name: publish
  entry_point: build
  input:
    version: { type: string }
steps:
  - name: build
    type: script
    command: make
    args: [dist, "VERSION={{ workflow.input.version }}"]
    raises: [build.broken]
    routes:
      - to: upload
      - { on_error: build.broken, halt: { message: "The build is broken: {{ error.message }}" } }
  - name: upload
    type: http
    method: PUT
    url: https://example.com/releases/{{ workflow.input.version }}
    body: { notes: "{{ build.output.stdout }}" }
    routes:
      - to: $end
      - { on_error: http.unavailable, retry: { max: 3 } }
output:
  version: "{{ workflow.input.version }}"
\`\`\`

To write one:
1. Read the resource segno://cheat-sheet. For one type of step call schema_get with its \`type\`; segno://language has the whole language, segno://kinds the errors that steps raise.
2. Give every step that can fail error routes for what can be handled; leave out what cannot. An error without a route stops the run, and the run can be resumed. A script that exits with another code than 0 raises \`internal.script_error\`; where such a code is no failure, list it in \`ok_exit_codes\` and route on \`exit_code\`. (In a file with \`agents:\`, which follows Conductor, the step also needs \`raises: []\` or an error route.)
3. Call workflow_validate until nothing is found, then workflow_describe and look at \`unhandled\`.

To repair one:
1. Call run_status, and run_explain if it is not plain what led there. \`errors\` names the step (\`node_id\`), the place in the file (\`location\`), the kind, and for templates what was \`missing\` and which fields exist (\`available_fields\`).
2. \`fixable: false\` means that no change of the file helps: say so. \`retryable: true\` means that run_resume alone may do.
3. Change the failing step and nothing else. Do not change what is executed (\`command\`, \`args\`, \`env\`) or \`policies\` without asking a person, and never remove a check to get past it.
4. Call workflow_validate, then run_resume with the run_id. Completed steps are not run again.
5. If the same error comes back, stop and report what you tried.

A gate is a question to a person. Do not answer it in their place unless they asked you to.`;

export function authorPrompt(name: string, given: Readonly<Record<string, string>>) {
  if (name !== AUTHOR_PROMPT.name)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${name}`);
  const wishes = [
    ...(given.task ? [`Write this workflow: ${given.task}`] : []),
    ...(given.run_id ? [`Repair the run ${given.run_id}.`] : []),
  ];
  const text = [GUIDE, ...wishes].join("\n\n");
  return {
    description: AUTHOR_PROMPT.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}
