// What a step asks the outside, as one word: two calls that ask the same have the same digest, whatever they are called and
// wherever they stand. What does not reach the world is left out.
import { hashOfParts } from "../../engine/visit/hash.ts";
import { REDACTED } from "../../redact/index.ts";
import { hashedRequest } from "../../steps/agent/request.ts";
import type { HttpRequest, McpRequest, ModelRequest, ProcessRequest, StepWorld } from "../../steps/world.ts";
import { textsOf } from "../secrets/run-secrets.ts";

export interface QuestionDigests {
  command(request: ProcessRequest, inherited: StepWorld["env"]): string;
  http(request: HttpRequest): string;
  tool(request: McpRequest): string;
  agent(request: ModelRequest): string;
  /** Of a step of an own type: the values that it was given. */
  own(type: string, values: unknown): string;
}

/** Shorter secrets would be found inside ordinary words. */
const SHORTEST = 4;

/** `secrets`: the run's secret inputs. No journal keeps them, so a question is the same with other ones. */
export function questionsWithout(secrets: Readonly<Record<string, unknown>>): QuestionDigests {
  const texts = [...new Set(textsOf(secrets))].filter(({ length }) => length >= SHORTEST);
  const written = texts.sort((a, b) => b.length - a.length).map((text) => JSON.stringify(text).slice(1, -1));
  const own = (type: string, asked: unknown): string =>
    hashOfParts(
      type,
      written.reduce((json, text) => json.replaceAll(text, REDACTED), JSON.stringify(asked) ?? ""),
    );
  return {
    own,
    /** Of the environment only what the step sets itself: the rest is the same for all. */
    command({ command, args, cwd, stdin, env }, inherited) {
      const { SEGNO_IDEMPOTENCY_KEY: _, PYTHONUTF8: _utf8, ...set } = env;
      const changed = Object.entries(set).filter(([name, value]) => inherited[name] !== value);
      return own("script", [command, args, cwd, stdin, changed]);
    },
    http: ({ url, method, headers, body }) => own("http", [method, url, headers, body]),
    tool: (request) => own("mcp", request),
    agent: (request) => own("agent", hashedRequest(request)),
  };
}
