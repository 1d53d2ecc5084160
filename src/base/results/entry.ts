// What a result needs beside the run's state, and one entry of `errors` or `warnings`, made from an envelope. Secrets are
// still in it: they are hidden where the answer leaves.
import { type Envelope, traitsOf } from "../errors/index.ts";
import { isMapping } from "../errors/mapping.ts";
import { nearest } from "../errors/nearest.ts";
import type { Shell } from "../events/state/state.ts";
import { shellLine } from "../events/typeable.ts";
import type { Redactor } from "../redact/index.ts";
import type { Reader } from "./reader.ts";
import type { Artifacts, Entry, Place, SentRequest } from "./result.ts";

export interface RaisedEntry {
  readonly error: Envelope;
  readonly node: string | null;
  readonly action: Entry["action"];
  readonly hint: string | undefined;
  readonly location: Place | undefined;
  /** What the file's policy says, where it says something. */
  readonly retryable?: boolean | undefined;
  /** Type of the step that raised, where it is known. */
  readonly stepType: string | undefined;
  readonly shell: Shell | null;
  /** Of the script that a template refers to. */
  readonly referenced: Shell | null;
  readonly eventsFile: string | undefined;
  /** Fields of the occasion: group, item_key, recovered_by … */
  readonly more?: Partial<Entry>;
}

export function entryOf(raising: RaisedEntry): Entry {
  const { error, node, action, location, hint } = raising;
  const { category, fixable, retryable, owner } = traitsOf(error.kind, error.details);
  return {
    source: "runtime",
    category,
    kind: error.kind,
    node_id: node,
    action,
    fixable,
    retryable: raising.retryable ?? retryable,
    owner,
    ...(location ? { location } : {}),
    raised_at: error.raised_at,
    propagated: error.propagated,
    message: error.message,
    ...hoisted(error, raising),
    details: shownDetails(error),
    attempts: error.attempts,
    ...(error.items ? { items: error.items } : {}),
    cause: error.cause ?? null,
    ...raising.more,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** An entry that is no envelope: an ending, a warning, a refusal. */
export const plainEntry = (fields: Pick<Entry, "message"> & Partial<Entry>): Entry => ({
  source: "runtime",
  category: null,
  kind: null,
  node_id: null,
  action: null,
  fixable: false,
  retryable: false,
  owner: null,
  ...fields,
});

/** What an agent looks for first, taken out of an envelope's details to the entry's own level. */
type Hoisted = Partial<Entry>;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
/** An author's envelope may have anything there; the result has whole numbers. */
const whole = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);
const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function present<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

const mcp = ({ details, message }: Envelope): Hoisted => {
  const { code } = details;
  return {
    mcp_error_details: { server: text(details.server) ?? null, tool: text(details.tool) ?? null },
    mcp_error: {
      code: typeof code === "number" || typeof code === "string" ? code : null,
      // The server's own words, where it said something; ours are the entry's message.
      message: text(details.server_message) ?? message,
      ...(details.data === undefined ? {} : { data: details.data }),
    },
  };
};

const commandOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? shellLine(value.map(String)) : text(value);

/** So many names are shown; where the rest is, is said. */
const MOST_FIELDS = 20;

function template({ details }: Envelope, referenced: Shell | null, events: string | undefined): Hoisted {
  const all = list(details.available_fields);
  const missing = text(details.missing);
  const given = list(details.suggestions);
  return present({
    expression: text(details.expression) ?? text(details.template),
    missing,
    available_fields: all.slice(0, MOST_FIELDS),
    available_fields_total: all.length,
    available_fields_truncated: all.length > MOST_FIELDS,
    trace_file_hint: all.length > MOST_FIELDS && events ? `All ${all.length} fields are in ${events}` : undefined,
    suggestions: given.length > 0 ? given : missing ? nearest(missing.split(".").at(-1) ?? missing, all) : [],
    shell_stderr: referenced?.stderr ?? undefined,
  });
}

/** Details without what stands above them already, and with lists of names cut as they are there. */
function shownDetails({ kind, details }: Envelope): Readonly<Record<string, unknown>> {
  if (isCall(kind)) {
    const { raw_response: _, response_headers: _headers, request: _request, ...rest } = details;
    return rest;
  }
  const all = details.available_fields;
  if (kind !== "internal.template_error" || !Array.isArray(all) || all.length <= MOST_FIELDS) return details;
  return { ...details, available_fields: all.slice(0, MOST_FIELDS) };
}

/** A scenario may have put anything there. */
const sentRequest = (value: unknown): Hoisted["request"] =>
  isMapping(value) && typeof value.method === "string" && typeof value.url === "string"
    ? (value as unknown as SentRequest)
    : undefined;

const isCall = (kind: string): boolean => kind.startsWith("http.") || kind.startsWith("provider.");

const OF_SCRIPTS: ReadonlySet<string> = new Set([
  "internal.script_error",
  "internal.command_not_found",
  "internal.resource_exhausted",
]);

function hoisted(error: Envelope, { stepType, shell: said, referenced, eventsFile }: RaisedEntry): Hoisted {
  const { kind } = error;
  if (kind === "internal.template_error") return template(error, referenced, eventsFile);
  if (isCall(kind))
    return present({
      request: sentRequest(error.details.request),
      status_code: whole(error.details.status_code),
      raw_response: error.details.raw_response,
      response_headers: error.details.response_headers as Hoisted["response_headers"],
      response_time: typeof error.details.response_time === "number" ? error.details.response_time : undefined,
    });
  if (kind.startsWith("mcp.")) return mcp(error);
  const ofScript = stepType === "script" || OF_SCRIPTS.has(kind);
  return ofScript
    ? present({
        shell_command: commandOf(error.details.command) ?? said?.command ?? undefined,
        shell_exit_code: whole(error.details.exit_code) ?? said?.exitCode ?? undefined,
        shell_stdout: said?.stdout ?? undefined,
        shell_stderr: text(error.details.stderr_tail) ?? said?.stderr ?? undefined,
      })
    : {};
}

export interface ErrorPlace {
  /** The step that raised it; null for the workflow's own output. */
  readonly node: string | null;
  /** Slots of the sub-workflows that lead to it. */
  readonly path: readonly string[];
  readonly error: Envelope | null;
}

export interface ResultContext {
  /** For callers that need the run's state only: no list of its steps is made. */
  readonly withoutSteps?: boolean;
  readonly redactor: Redactor;
  /** The file as shown to the user: relative to where they stand. */
  readonly file: string | null;
  readonly artifacts: Artifacts | null;
  readonly locate?: (place: ErrorPlace) => Place | undefined;
  /** Whether the file's own policy retries an error; nothing where it does not say, and the registry does. */
  readonly retries?: (place: ErrorPlace & { readonly error: Envelope }) => boolean | undefined;
  /** What the file's error routes at a step do with a kind before it leaves; nothing where none takes it. */
  readonly routedBy?: (place: Omit<ErrorPlace, "error">, kind: string) => "retry" | "propagate" | undefined;
  /** Whether calls wait for an open breaker, rather than fail: `when_open: wait`. */
  readonly callsWait?: boolean;
  /** Who reads the hints; people at a terminal if it is left out. */
  readonly reader?: Reader;
  /** Epoch milliseconds, for a run that a process drives: until when it, and what runs in it, counts. */
  readonly now?: number;
  /** No process drives the run any more, and its last drive recorded no end: it crashed. */
  readonly interrupted?: boolean;
  /** How the store has the run's gates at this time; absent where a run is reported by the process that drives it. */
  readonly gatesNow?: GatesNow;
}

export interface GatesNow {
  /** Keys of gates whose answer is stored, and that no drive has taken yet. */
  readonly answered: ReadonlySet<string>;
  /** Epoch milliseconds: deadlines before that have passed. */
  readonly now: number;
}

/** A sentence after its place, as people read it: `bad.yaml:3:5: there is no step fisrt`. */
export const atPlace = (place: Place | undefined, message: string): string =>
  place ? `${place.file}:${place.line}:${place.column}: ${message}` : message;
