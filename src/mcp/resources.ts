// What a client can read: the language, the kinds of errors, the schemas, and each run's result and events.
import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { ofRunsBelow, requireRunBelow } from "../services/access/roots.ts";
import { Refused } from "../services/refusals.ts";
import { listRuns, type RunsAnswer, type RunsRequest, runEvents, showRun, UnknownRun } from "../services/runs/runs.ts";
import type { Session } from "../services/session/session.ts";
import { cheatSheet, kindsReference, languageReference } from "../services/workflows/reference.ts";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../services/workflows/schema.ts";

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

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

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "segno://runs/{run_id}/result",
    name: "run-result",
    title: "Result of a run",
    description: "How a run stands or ended.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "segno://runs/{run_id}/events",
    name: "run-events",
    title: "Events of a run",
    description: "A run's journal, redacted, one event a line.",
    mimeType: LINES,
  },
] as const;

const MOST_RUNS = 50;

/** Among how many of the newest runs those below the roots are looked for. */
const MOST_LOOKED_AT = 500;

/** Below no root there are no runs: only the pages. */
export async function listResources(session: Session, roots: readonly string[] | undefined): Promise<Resource[]> {
  const shown = roots ? (await runsBelow(roots, session, { limit: MOST_LOOKED_AT })).runs : [];
  return [
    ...PAGES.map(({ read: _, ...page }) => page),
    ...shown.slice(0, MOST_RUNS).flatMap(({ run_id, workflow, status }) => [
      {
        uri: `segno://runs/${run_id}/result`,
        name: `${run_id} result`,
        title: `Result of ${workflow ?? "a run"}`,
        description: `Run ${run_id}, ${status}.`,
        mimeType: JSON_TYPE,
      },
      {
        uri: `segno://runs/${run_id}/events`,
        name: `${run_id} events`,
        title: `Events of ${workflow ?? "a run"}`,
        description: `Run ${run_id}, ${status}.`,
        mimeType: LINES,
      },
    ]),
  ];
}

/** The newest runs of files below the roots. */
export async function runsBelow(roots: readonly string[], session: Session, request: RunsRequest): Promise<RunsAnswer> {
  const answer = await listRuns(session, request);
  return { ...answer, runs: await ofRunsBelow(answer.runs, roots, session) };
}

export async function readResource(uri: string, session: Session, roots: readonly string[]): Promise<Contents> {
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
