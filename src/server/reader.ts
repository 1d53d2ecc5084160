// For programs that ask the HTTP API: hints name addresses and fields of a JSON body.
import { COMMAND_LINE, type Reader } from "../results/index.ts";
import type { Session } from "../services/session/session.ts";
import type { ServedRuns } from "./served-runs.ts";

const segment = encodeURIComponent;
const post = (path: string, fields: Readonly<Record<string, unknown>>): string =>
  Object.keys(fields).length === 0 ? `POST ${path}` : `POST ${path} with ${JSON.stringify(fields)}`;

export const HTTP_CLIENT: Reader = {
  ask(wanted) {
    switch (wanted.to) {
      case "run":
        return "POST /api/runs";
      case "validate":
        return `GET /api/workflows/${wanted.file.split("/").map(segment).join("/")}`;
      case "resume":
        return post(`/api/runs/${segment(wanted.run)}/resume`, {
          ...(wanted.maxIterations === undefined ? {} : { max_iterations: wanted.maxIterations }),
          ...(wanted.changedFiles ? { changed_files: true } : {}),
        });
      case "run lost items":
        return post(`/api/runs/${segment(wanted.run)}/resume`, { failed_items: true });
      case "take over":
        return post(`/api/runs/${segment(wanted.run)}/resume`, { take_over: true });
      case "cancel":
        return `POST /api/runs/${segment(wanted.run)}/cancel`;
      case "follow":
        return `GET /api/stream?run=${segment(wanted.run)}:0`;
      case "show":
        return `GET /api/runs/${segment(wanted.run)}`;
      case "list runs":
        return "GET /api/runs";
      case "list gates":
        return "GET /api/gates";
      case "answer":
        return "POST /api/gates/GATE, with an id of GET /api/gates";
      case "list letters":
        return "GET /api/letters?all=1";
      case "retry":
        return "letter" in wanted
          ? post("/api/letters/retry", { ids: [wanted.letter] })
          : `POST /api/letters/retry, with the ids of GET /api/letters?run=${segment(wanted.run)}`;
      case "retry all":
        return `POST /api/letters/retry, with the ids of GET /api/letters?${new URLSearchParams(wanted.filters)}`;
      case "list breakers":
        return "GET /api/breakers";
      case "reset":
        return `POST /api/breakers/${segment(wanted.breaker)}/reset`;
      case "list workers":
        return "GET /api/workers";
      // No address does these: a person does them at a terminal, or on the page.
      case "be asked":
      case "prune":
      case "examine":
      case "reindex":
      case "start servers":
      case "run code":
        return null;
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        return `"inputs": {${JSON.stringify(given.name)}: ${given.example ?? "VALUE"}} in the body`;
      case "gate":
        return "its id in the address, /api/gates/GATE";
      // No address takes it: it is set where the server is started.
      case "home":
        return "SEGNO_HOME, where the server is started";
      case "provider":
        return '"provider" in the body';
      case "answer":
        return `"inputs": {${JSON.stringify(given.name)}: "…"} in the body`;
      case "option":
        return `"${given.name.replaceAll("-", "_")}"${given.value === undefined ? "" : `: ${JSON.stringify(given.value)}`}`;
    }
  },
};

/**
 * For views of a run, which people read on the page: their hints are commands, to be copied. A refusal is for whoever sent
 * the request, and has the API's words.
 */
export const forPage = ({ session, pageReader }: Pick<ServedRuns, "session" | "pageReader">): Session => ({
  ...session,
  reader: pageReader ?? COMMAND_LINE,
});
