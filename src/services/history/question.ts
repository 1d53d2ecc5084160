// What a step asks the outside, as one word: two calls that ask the same have the same digest, whatever they are called and
// wherever they stand. What does not reach the world is left out.
import { hashOfParts } from "../../engine/visit/hash.ts";
import { hashedRequest } from "../../steps/agent/request.ts";
import type { HttpRequest, McpRequest, ModelRequest, ProcessRequest, StepWorld } from "../../steps/world.ts";

/** Of the environment only what the step sets itself: the rest is the same for all. */
export function commandQuestion(
  { command, args, cwd, stdin, env }: ProcessRequest,
  inherited: StepWorld["env"],
): string {
  const { SEGNO_IDEMPOTENCY_KEY: _, PYTHONUTF8: _utf8, ...own } = env;
  const set = Object.entries(own).filter(([name, value]) => inherited[name] !== value);
  return questionOf("script", [command, args, cwd, stdin, set]);
}

export const httpQuestion = ({ url, method, headers, body }: HttpRequest): string =>
  questionOf("http", [method, url, headers, body]);

export const toolQuestion = (request: McpRequest): string => questionOf("mcp", request);

export const agentQuestion = (request: ModelRequest): string => questionOf("agent", hashedRequest(request));

/** `type`: of the step. */
export const questionOf = (type: string, asked: unknown): string => hashOfParts(type, JSON.stringify(asked) ?? "");
