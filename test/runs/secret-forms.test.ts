// Every form of a secret at every place that shows text of a run: the cases are made of the two lists, so that a form or a
// place which is added to one of them is tested with all of the other.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newStateCodec } from "../../src/frontends/mcp/ask-client.ts";
import { createServer } from "../../src/frontends/mcp/server.ts";
import { BackgroundRuns } from "../../src/services/runs/background.ts";
import { commandLine } from "../support/command-line.ts";
import { Served } from "../support/served.ts";

/** How a script writes the secret that it is given, and what must be nowhere then. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "as JSON": (secret) => JSON.stringify({ a: secret }),
  "as `| tojson` writes it": (secret) => JSON.stringify(secret).replace(/[<>&']/g, unit),
  "as JSON in JSON": (secret) => JSON.stringify(JSON.stringify(secret)),
  "quoted for a shell": (secret) => `'${secret.replaceAll("'", `'"'"'`)}'`,
  "quoted as YAML and SQL do": (secret) => `'${secret.replaceAll("'", "''")}'`,
  "in HTML, by name": (secret) => secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&apos;"),
  "in HTML, by number": (secret) => secret.replace(/[<>&']/g, (char) => `&#${char.charCodeAt(0)};`),
  "in an address": (secret) => encodeURIComponent(secret),
  "in base64": (secret) => Buffer.from(`user:${secret}`).toString("base64"),
  "in base64 of addresses": (secret) => Buffer.from(secret).toString("base64url"),
  "as octal bytes": (secret) => secret.replace(/[<>&']/g, (char) => `\\0${char.charCodeAt(0).toString(8)}`.slice(-4)),
  "with colours in it": (secret) => `${secret.slice(0, 9)}\u001b[31m${secret.slice(9)}\u001b[0m`,
};

const unit = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
const names = Object.keys(FORMS);
const secretOf = (form: string): string =>
  `<it's&a-secr${names.indexOf(form)}x-${"qwrtzkmnbvcxd".charAt(names.indexOf(form))}9>`;

/** Of a text form its end, which is written alike in all of them; of others the longest part without its edges. */
function traceOf(form: string): RegExp {
  const secret = secretOf(form);
  if (form.includes("base64")) {
    const written = FORMS[form]!(secret).replace(/=+$/, "");
    return new RegExp(written.slice(8, -2).replace(/[+/]/g, "\\$&"));
  }
  return new RegExp(`secr${names.indexOf(form)}x`);
}

const FILE = `workflow:
  name: leaky
  entry_point: each
  input: { ${names.map((_, index) => `s${index}: { type: string, secret: true }`).join(", ")} }
  resilience: { dead_letter: true, retry: { max: 0, on: ["say.*"] } }
steps: []
for_each:
  - name: each
    type: for_each
    source: "{{ [1] }}"
    as: n
    agent:
      name: say
      type: script
      command: node
      args: [say.cjs]
      stdin: "{{ workflow.input | tojson }}"
`;

/** Prints the secrets in all forms, on both streams, in one piece and in two, and raises an error that quotes them. */
const SCRIPT = `const { readFileSync, writeFileSync } = require("node:fs");
const lines = JSON.parse(process.env.LINES);
process.stdout.write(lines.join("\\n") + "\\n");
for (const line of lines) { process.stderr.write(line.slice(0, 14)); process.stderr.write(line.slice(14) + "\\n"); }
writeFileSync(process.env.SEGNO_ERROR_OUT, JSON.stringify({ kind: "say.failed", message: lines.join(" ; "), details: { lines, more: { deep: [lines.join(",")] } } }));
process.exit(1);
`;

let served: Served;
let run = "";
let printed: { readonly stdout: string; readonly stderr: string };

const env = () => ({ PATH: process.env.PATH, HOME: served.home, SEGNO_HOME: served.home });
const segno = (...args: string[]) => commandLine(args, { cwd: served.root, env: env() });
const both = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await segno(...args);
  return stdout + stderr;
};
const api = async (path: string): Promise<string> => JSON.stringify((await served.get(path)).body);
const fileOfRun = (name: string): string => readFileSync(join(served.home, "runs", run, name), "utf8");

/** One call of a tool, in this process. */
async function tool(name: string, given: object): Promise<string> {
  const session = { cwd: served.root, env: env(), home: served.home };
  const serving = {
    session,
    runs: new BackgroundRuns(),
    roots: [served.root],
    mayAnswerGates: true,
    hasWorkflowTools: false,
    answering: new Set<Promise<unknown>>(),
    ending: new AbortController().signal,
  };
  const sent: JSONRPCMessage[] = [];
  const waiting = new Map<number, () => void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      sent.push(message);
      if ("id" in message) waiting.get(Number(message.id))?.();
    },
  };
  const mcp = createServer(serving, "legacy", newStateCodec());
  await mcp.connect(transport);
  const ask = (id: number, method: string, params: object): Promise<void> =>
    new Promise((done) => {
      waiting.set(id, done);
      transport.onmessage?.({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage);
    });
  const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  await ask(1, "initialize", about);
  await ask(2, "tools/call", { name, arguments: given });
  return JSON.stringify(sent);
}

/** All that shows text of a run; each holds something of what the script said. */
const PLACES: Readonly<Record<string, () => Promise<string> | string>> = {
  "the terminal while it runs": () => printed.stderr,
  "the result as JSON": () => printed.stdout,
  "events.jsonl": () => fileOfRun("events.jsonl"),
  "errors.jsonl": () => fileOfRun("errors.jsonl"),
  "segno show": () => both("show", run),
  "segno show, as JSON": () => both("show", run, "--output-format", "json"),
  "segno explain": () => both("explain", run),
  "segno events": () => both("events", run),
  "segno trace": () => both("trace", run, "--output-format", "json"),
  "segno dlq list": () => both("dlq", "list", "--output-format", "json"),
  "API: a run": () => api(`/api/runs/${run}`),
  "API: its events": () => api(`/api/runs/${run}/events`),
  "API: a step": () => api(`/api/runs/${run}/steps/each`),
  "API: letters": () => api("/api/letters"),
  "API: errors of all runs": () => api("/api/errors"),
  "MCP: run_status": () => tool("run_status", { run_id: run }),
  "MCP: dlq_list": () => tool("dlq_list", {}),
};

beforeAll(async () => {
  served = await Served.start({ "leaky.yaml": FILE, "say.cjs": SCRIPT });
  const given = names.flatMap((form, index) => ["-i", `s${index}=${secretOf(form)}`]);
  const LINES = JSON.stringify(names.map((form) => FORMS[form]!(secretOf(form))));
  const { stdout, stderr } = await commandLine(["run", "leaky.yaml", "--output-format", "json", ...given], {
    cwd: served.root,
    env: { ...env(), LINES },
  });
  printed = { stdout, stderr };
  run = JSON.parse(stdout).run_id;
}, 60_000);
afterAll(() => served.close());

describe.each(Object.keys(PLACES))("%s", (place) => {
  let shown = "";
  beforeAll(async () => {
    shown = await PLACES[place]!();
  });

  it("shows something", () => expect(shown).toMatch(/say|leaky|each/));

  it.each(names)("shows no secret %s", (form) => {
    const at = shown.search(traceOf(form));
    expect(at < 0 ? "" : shown.slice(Math.max(0, at - 80), at + 40)).toBe("");
  });
});
