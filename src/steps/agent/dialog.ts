// `dialog:` of an agent: after its answer, when the model finds that `trigger_prompt` holds, the agent talks with the
// person until they have nothing more to say, and then answers again. With no one to ask it is skipped.
import { isMapping } from "../../errors/mapping.ts";
import type { Attempt } from "../executor.ts";
import type { ModelRequest } from "../world.ts";
import { objectIn } from "./answer.ts";
import { tellUsage } from "./request.ts";

interface Said {
  readonly role: "agent" | "user";
  readonly content: string;
}

const SCHEMA = {
  type: "object",
  properties: { trigger: { type: "boolean" }, question: { type: "string" } },
  required: ["trigger", "question"],
};

/** What was said, as a note for the agent's next answer; nothing when there was no dialog, or an empty one. */
export async function talkOver(
  output: unknown,
  trigger: string,
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
    message = await replyTo(said, output, asked, attempt);
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
      schema: SCHEMA,
    },
    attempt,
  );
  const verdict = isMapping(content) ? content : objectIn(String(content ?? ""));
  const question = verdict?.trigger === true ? String(verdict.question ?? "").trim() : "";
  return question === "" ? undefined : question;
}

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
