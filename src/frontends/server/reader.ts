// For programs that ask the HTTP API: hints name addresses and fields of a JSON body.
import { COMMAND_LINE, type Given, type Reader, type Wanted } from "../../base/results/reader.ts";
import type { Session } from "../../services/session/session.ts";
import type { ServedRuns } from "./served-runs.ts";

const segment = encodeURIComponent;
function post(path: string, fields: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify(fields);
  return body === "{}" ? `POST ${path}` : `POST ${path} with ${body}`;
}

const ofRun = (run: string): string => `/api/runs/${segment(run)}`;
/** No address does it: a person does, at a terminal or on the page. */
const noAddress = (): null => null;

const ASKS: { readonly [To in Wanted["to"]]: (wanted: Extract<Wanted, { readonly to: To }>) => string | null } = {
  run: () => "POST /api/runs",
  validate: ({ file }) => `GET /api/workflows/${file.split("/").map(segment).join("/")}`,
  resume: ({ run, maxIterations, maxVisits, changedFiles, from }) =>
    post(`${ofRun(run)}/resume`, {
      max_iterations: maxIterations,
      max_visits: maxVisits,
      changed_files: changedFiles || undefined,
      from,
    }),
  "run lost items": ({ run }) => post(`${ofRun(run)}/resume`, { failed_items: true }),
  "take over": ({ run }) => post(`${ofRun(run)}/resume`, { take_over: true }),
  cancel: ({ run }) => `POST ${ofRun(run)}/cancel`,
  follow: ({ run }) => `GET /api/stream?run=${segment(run)}:0`,
  show: ({ run }) => `GET ${ofRun(run)}`,
  "list runs": () => "GET /api/runs",
  "list gates": () => "GET /api/gates",
  answer: () => "POST /api/gates/GATE, with an id of GET /api/gates",
  "list letters": () => "GET /api/letters?all=1",
  retry: (wanted) =>
    "letter" in wanted
      ? post("/api/letters/retry", { ids: [wanted.letter] })
      : `POST /api/letters/retry, with the ids of GET /api/letters?run=${segment(wanted.run)}`,
  "retry all": ({ filters }) =>
    `POST /api/letters/retry, with the ids of GET /api/letters?${new URLSearchParams(filters)}`,
  "list breakers": () => "GET /api/breakers",
  reset: ({ breaker }) => `POST /api/breakers/${segment(breaker)}/reset`,
  "list workers": () => "GET /api/workers",
  "be asked": noAddress,
  prune: noAddress,
  examine: noAddress,
  reindex: noAddress,
  "start servers": noAddress,
  "run code": noAddress,
};

const GIVES: { readonly [What in Given["what"]]: (given: Extract<Given, { readonly what: What }>) => string } = {
  input: ({ name, example }) => `"inputs": {${JSON.stringify(name)}: ${example ?? "VALUE"}} in the body`,
  gate: () => "its id in the address, /api/gates/GATE",
  // No address takes it: it is set where the server is started.
  home: () => "SEGNO_HOME, where the server is started",
  provider: () => '"provider" in the body',
  answer: ({ name }) => `"inputs": {${JSON.stringify(name)}: "…"} in the body`,
  option: ({ name, value }) =>
    `"${name.replaceAll("-", "_")}"${value === undefined ? "" : `: ${JSON.stringify(value)}`}`,
};

export const HTTP_CLIENT: Reader = {
  ask: (wanted) => ASKS[wanted.to](wanted as never),
  give: (given) => GIVES[given.what](given as never),
};

/**
 * For views of a run, which people read on the page: their hints are commands, to be copied. A refusal is for whoever sent
 * the request, and has the API's words.
 */
export const forPage = ({ session, pageReader }: Pick<ServedRuns, "session" | "pageReader">): Session => ({
  ...session,
  reader: pageReader ?? COMMAND_LINE,
});
