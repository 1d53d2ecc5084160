// What comes after an agent's answer: `validator:` judges it with a second call, `dialog:` talks about it with a person
// until they have nothing more to say. What cannot be judged passes; with no one to ask there is no dialog.
import type { Outcome } from "../../base/errors/index.ts";
import { isMapping } from "../../base/errors/mapping.ts";
import type { Attempt } from "../step-type.ts";
import type { ModelRequest } from "../world.ts";
import { objectIn } from "./answer.ts";
import { tellUsage } from "./request.ts";

export interface Validator {
  readonly criteria: string;
  readonly model?: string;
  readonly max_retries: number;
}

const SCHEMA = {
  type: "object",
  properties: { passed: { type: "boolean" }, issues: { type: "array", items: { type: "string" } } },
  required: ["passed", "issues"],
};

/** What is wrong with an answer; empty when it will do. */
export async function issuesOf(
  { output, changes }: Pick<Outcome, "output" | "changes">,
  validator: Validator,
  asked: ModelRequest,
  attempt: Attempt,
): Promise<readonly string[]> {
  const models = validator.model === undefined ? asked.models : [validator.model];
  const { node: agent_name } = attempt;
  const [model] = models;
  attempt.emit("agent_validator_start", {
    agent_name,
    ...(model ? { model } : {}),
    criteria_preview: validator.criteria.slice(0, 200),
  });
  const request: ModelRequest = {
    purpose: "validator",
    provider: asked.provider,
    ...(asked.settings ? { settings: asked.settings } : {}),
    models,
    system: "You judge whether an answer meets the criteria. You do not answer the question yourself.",
    prompt: [
      `The question was:\n${asked.prompt}`,
      `The answer is:\n${JSON.stringify(output, null, 2)}`,
      ...(changes ? [`Meanwhile it changed in its folder:\n${JSON.stringify(changes, null, 2)}`] : []),
      `The criteria are:\n${validator.criteria}`,
      'Answer with a JSON object alone: {"passed": true or false, "issues": ["each thing that is wrong, in a sentence"]}',
    ].join("\n\n"),
    schema: SCHEMA,
    raises: [],
    tools: [],
    options: asked.options,
  };
  const result = await attempt.world.callModel(request, attempt);
  tellUsage(attempt, "validator", result.usage);
  const content = result.ok ? verdictIn(result.content) : undefined;
  const errored = typeof content?.passed !== "boolean";
  const passed = errored || content?.passed === true;
  const issues = passed ? [] : Array.isArray(content?.issues) ? content.issues.map(String) : [];
  attempt.emit("agent_validator_complete", { agent_name, passed, issues, errored, ...result.usage });
  return passed || issues.length > 0 ? issues : ["the answer does not meet the criteria"];
}

const verdictIn = (content: unknown): Readonly<Record<string, unknown>> | undefined =>
  isMapping(content) ? content : objectIn(String(content ?? ""));

interface Said {
  readonly role: "agent" | "user";
  readonly content: string;
}

const OPENING_SCHEMA = {
  type: "object",
  properties: { trigger: { type: "boolean" }, question: { type: "string" } },
  required: ["trigger", "question"],
};

/** What was said, as a note for the agent's next answer; nothing when there was no dialog, or an empty one. */
export async function talkOver(
  output: unknown,
  { trigger, conversation }: { readonly trigger: string; readonly conversation?: string | undefined },
  asked: ModelRequest,
  attempt: Attempt,
): Promise<string | undefined> {
  if (!attempt.ask) return undefined;
  const question = await openingOf(output, trigger, asked, attempt);
  if (question === undefined) return undefined;
  const { node: agent_name } = attempt;
  attempt.emit("dialog_started", { agent_name, question });
  const said: Said[] = [];
  const say = (role: Said["role"], content: string): void => {
    said.push({ role, content });
    attempt.emit("dialog_message", { agent_name, role, content });
  };
  let turns = 0;
  for (let message: string | undefined = question; message !== undefined && !attempt.signal.aborted; ) {
    say("agent", message);
    const reply = await attempt.ask(message);
    if (reply === null || attempt.signal.aborted) break;
    say("user", reply);
    turns += 1;
    message = await replyTo(said, output, withConversation(asked, conversation), attempt);
  }
  attempt.emit("dialog_completed", { agent_name, turns, declined: turns === 0 });
  if (turns === 0) return undefined;
  return `Your first answer was:\n${JSON.stringify(output)}\n\nYou then talked it over with the user:\n${transcript(said)}\n\nAnswer the question again, with what the user said.`;
}

/** What to open the dialog with. A model that cannot say whether there should be one does not start it. */
async function openingOf(
  output: unknown,
  trigger: string,
  asked: ModelRequest,
  attempt: Attempt,
): Promise<string | undefined> {
  const content = await converse(
    {
      ...asked,
      system: "You decide whether an agent should talk with the user before its answer counts.",
      prompt: [
        `The agent was asked:\n${asked.prompt}`,
        `Its answer is:\n${JSON.stringify(output, null, 2)}`,
        `It should talk with the user when this holds:\n${trigger}`,
        'Answer with a JSON object alone: {"trigger": true or false, "question": "what the agent should ask the user, with all they need to know to reply; empty when trigger is false"}',
      ].join("\n\n"),
      schema: OPENING_SCHEMA,
    },
    attempt,
  );
  const verdict = verdictIn(content);
  const question = verdict?.trigger === true ? String(verdict.question ?? "").trim() : "";
  return question === "" ? undefined : question;
}

/** The author's words about the conversation stand at the end of the system prompt, at every turn. */
const withConversation = (asked: ModelRequest, conversation: string | undefined): ModelRequest =>
  conversation === undefined
    ? asked
    : {
        ...asked,
        system: [
          asked.system,
          `How to talk with the user, which wins over any other instruction about the conversation:\n${conversation}`,
        ]
          .filter(Boolean)
          .join("\n\n"),
      };

async function replyTo(
  said: readonly Said[],
  output: unknown,
  asked: ModelRequest,
  attempt: Attempt,
): Promise<string | undefined> {
  const { schema: _, ...plain } = asked;
  const content = await converse(
    {
      ...plain,
      prompt: [
        `You were asked:\n${asked.prompt}`,
        `Your answer is:\n${JSON.stringify(output, null, 2)}`,
        `You are talking it over with the user:\n${transcript(said)}`,
        "Reply to the user's last message in plain text. Do not give your final answer yet.",
      ].join("\n\n"),
    },
    attempt,
  );
  return content === undefined ? undefined : String(content);
}

async function converse(request: ModelRequest, attempt: Attempt): Promise<unknown> {
  const result = await attempt.world.callModel({ ...request, purpose: "dialog", raises: [], tools: [] }, attempt);
  tellUsage(attempt, "dialog", result.usage);
  return result.ok ? result.content : undefined;
}

const transcript = (said: readonly Said[]): string =>
  said.map(({ role, content }) => `${role === "agent" ? "You" : "User"}: ${content}`).join("\n");
