// What a client can read: the language, the kinds of errors, the schemas, and each run's result and events. What is long is
// read in pages.
import { type Resource, ResourceNotFoundError, type TextResourceContents } from "@modelcontextprotocol/server";
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
import { LANGUAGE_PAGES } from "../../services/workflows/language-pages.ts";
import {
  cheatSheet,
  docsIndex,
  docsText,
  kindsPage,
  languageIndex,
  languagePage,
} from "../../services/workflows/language-text.ts";
import { languageSchema, NODE_TYPES, nodeSchema, schemaOfResult } from "../../services/workflows/reference.ts";
import { cutTo, LARGEST_ANSWER } from "./shorten.ts";

const JSON_TYPE = "application/json";
const LINES = "application/x-ndjson";
const MARKDOWN = "text/markdown";
const PLAIN = "text/plain";

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
    description: "Which page says what.",
    mimeType: MARKDOWN,
    read: languageIndex,
  },
  ...LANGUAGE_PAGES.map(({ name, title, about }) => ({
    uri: `segno://language/${name}`,
    name: `language-${name}`,
    title,
    description: about,
    mimeType: MARKDOWN,
    read: () => languagePage(name) ?? "",
  })),
  {
    uri: "segno://kinds",
    name: "kinds",
    title: "Kinds of errors",
    description: "Every kind that the engine raises, when, with which details, and who can do something about it.",
    mimeType: MARKDOWN,
    read: kindsPage,
  },
  {
    uri: "segno://docs",
    name: "docs-index",
    title: "The documentation",
    description: "The names of its pages, for segno://docs/{name}.",
    mimeType: MARKDOWN,
    read: docsIndex,
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
    name: `step-${type}-schema`,
    title: `Schema of ${type}`,
    description: `JSON Schema of one ${type}${type === "parallel" || type === "for_each" ? " group" : " step"}.`,
    mimeType: JSON_TYPE,
    read: () => pretty(nodeSchema(type)),
  })),
];

/** What can be read of each run. */
const PARTS = [
  {
    part: "result",
    title: "Result",
    description: "How a run stands or ended; with a path one part of it: result/errors/0/raw_response.",
    mimeType: JSON_TYPE,
  },
  { part: "events", title: "Events", description: "A run's journal, redacted, one event a line.", mimeType: LINES },
];

const DOCS_TEMPLATE = {
  uriTemplate: "segno://docs/{name}{?page}",
  name: "docs",
  title: "A page of the documentation",
  description: "What the pages of the language link to, in parts.",
  mimeType: MARKDOWN,
};

const RUN_TEMPLATES = PARTS.map(({ part, title, description, mimeType }) => ({
  uriTemplate: `segno://runs/{run_id}/${part}${part === "result" ? "{/path*}" : ""}{?page}`,
  name: `run-${part}`,
  title: `${title} of a run`,
  description,
  mimeType,
}));

export const RESOURCE_TEMPLATES = [...RUN_TEMPLATES, DOCS_TEMPLATE];

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

const RUN = /^segno:\/\/runs\/([0-9A-Za-z]+)\/(result|events)((?:\/[^/]+)*)$/;

export async function readResource(
  uri: string,
  session: Session,
  roots: readonly string[],
): Promise<TextResourceContents[]> {
  const { address, page } = addressOf(uri);
  const [, docs] = /^segno:\/\/docs\/([\w-]+)$/.exec(address) ?? [];
  const docsPage = docs === undefined ? undefined : docsText(docs, page);
  if (docsPage !== undefined) return [{ uri, mimeType: MARKDOWN, text: docsPage }];
  const known = PAGES.find((one) => one.uri === address);
  if (known) return inPages(linesOf(await known.read()), { uri, address, page, mimeType: known.mimeType });
  const [, run, part, path = ""] = RUN.exec(address) ?? [];
  if (run === undefined || (part === "events" && path !== "")) throw missing(uri);
  await requireRunBelow(run, roots, session).catch((problem: unknown) => {
    throw problem instanceof Refused ? missing(uri) : problem;
  });
  if (part === "events") return inPages(eventLines(uri, run, session), { uri, address, page, mimeType: LINES });
  const result = await showRun(session, { run });
  if (result.run_id === null) throw missing(uri);
  const value = valueAt(result, path);
  if (value === undefined) throw missing(uri);
  const [text, mimeType] = typeof value === "string" ? [value, PLAIN] : [pretty(value), JSON_TYPE];
  return inPages(linesOf(text), { uri, address, page, mimeType });
}

/** What stands at a path such as `/errors/0/raw_response`; undefined if nothing does. */
function valueAt(whole: unknown, path: string): unknown {
  let value = whole;
  for (const name of path.split("/").slice(1)) {
    const key = decodeURIComponent(name);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

async function* eventLines(uri: string, run: string, session: Session): AsyncIterable<string> {
  try {
    for await (const event of runEvents(session, { run })) yield `${JSON.stringify(event)}\n`;
  } catch (problem) {
    if (problem instanceof UnknownRun) throw missing(uri);
    throw problem;
  }
}

// Pages of at most as many characters as an answer of a tool.

interface Paged {
  readonly uri: string;
  /** The uri without its page. */
  readonly address: string;
  readonly page: number;
  readonly mimeType: string | undefined;
}

function addressOf(uri: string): Pick<Paged, "address" | "page"> {
  const [, address = uri, page = "1"] = /^(.*?)(?:\?page=(\d{1,6}))?(?:#.*)?$/.exec(uri) ?? [];
  return { address, page: Number(page) };
}

/** One page, and where the next one is. */
async function inPages(
  lines: Iterable<string> | AsyncIterable<string>,
  { uri, address, page, mimeType }: Paged,
): Promise<TextResourceContents[]> {
  let [text, at, hasMore] = ["", 1, false];
  for await (const line of piecesOf(lines)) {
    if (text.length + line.length > LARGEST_ANSWER && text !== "") {
      if (at === page) hasMore = true;
      if (at === page) break;
      at += 1;
      text = "";
    }
    text += line;
  }
  if (at !== page) throw missing(uri);
  if (!hasMore && page === 1) return [{ uri, mimeType, text }];
  const next = `${address}?page=${page + 1}`;
  const note = hasMore
    ? `This is page ${page}. The next page is the resource ${next}`
    : `This is page ${page}, the last one.`;
  return [
    { uri, mimeType: mimeType === LINES ? LINES : PLAIN, text },
    { uri: hasMore ? next : uri, mimeType: PLAIN, text: note },
  ];
}

function* linesOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const next = end < 0 ? text.length : end + 1;
    yield text.slice(from, next);
    from = next;
  }
  if (text === "") yield "";
}

/** A line that is longer than a page is cut. */
async function* piecesOf(lines: Iterable<string> | AsyncIterable<string>): AsyncIterable<string> {
  for await (const line of lines)
    for (let rest = line, piece = ""; ; rest = rest.slice(piece.length)) {
      piece = cutTo(LARGEST_ANSWER, rest);
      yield piece;
      if (piece.length === rest.length) break;
    }
}

const missing = (uri: string): Error => new ResourceNotFoundError(uri, `there is nothing at ${uri}`);
