// An agent's request for permission, as a gate inside its step. Its first option is deny, which `--skip-gates` takes.
// When no one can be asked the run pauses; the recorded answer is used when the agent asks again.
import { permissionKey } from "../../base/events/key.ts";
import type { GivenPermission, PermissionGate } from "../../steps/caller.ts";
import type { WorkflowFrame } from "../frame.ts";
import type { WorkAttempt } from "../visit/work.ts";
import type { GateAnswer, GateQuestion } from "./ask.ts";
import { askedAnew, recordedAnswerer } from "./waiting.ts";

const OPTIONS = [
  { label: "Deny", value: "deny", description: "The agent goes on without it." },
  { label: "Allow", value: "allow", description: "Only this, and only in this step." },
];

export class StepPermissions implements PermissionGate {
  readonly given: GivenPermission[] = [];
  /** A question with no one to answer it: the run pauses at it. */
  pending: GateQuestion | undefined;
  #asked = 0;
  /** What an earlier drive asked, and paused at. */
  #open: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly frame: WorkflowFrame,
    private readonly node: string,
    private readonly attempt: WorkAttempt,
  ) {
    if (!frame.reuse) return;
    const { recall } = frame.engine.durable;
    for (let number = 1; ; number += 1) {
      const recorded = recall.get(permissionKey(attempt.key, number));
      if (!recorded?.question) break;
      if (recorded.answer?.kind !== "gate") {
        this.#open = whatOf(recorded.question.prompt);
        break;
      }
      const { selected, answered_by: by, at } = recorded.answer;
      this.given.push({ what: whatOf(recorded.question.prompt), allowed: selected === "allow", by, at });
      this.#asked = number;
    }
  }

  /** Asks what is open before the agent goes on: the answer may be there, and without it there is nothing to go on with. */
  async askWhatIsOpen(): Promise<void> {
    if (this.#open !== undefined) await this.ask(this.#open);
  }

  /** One question at a time: an agent may call several tools at once. */
  ask(what: string): Promise<"allow" | "deny" | "later"> {
    const answer = this.#last.then(() => this.#askNow(what));
    this.#last = answer;
    return answer;
  }

  async #askNow(what: string): Promise<"allow" | "deny" | "later"> {
    if (this.pending) return "later";
    const before = this.given.find((one) => requestIn(one.what) === requestIn(what));
    if (before) return before.allowed ? "allow" : "deny";
    this.#asked += 1;
    const { engine, path } = this.frame;
    const key = permissionKey(this.attempt.key, this.#asked);
    const asked = await askedAnew(this.frame, key);
    const question: GateQuestion = {
      kind: "gate",
      node: this.node,
      key,
      prompt: promptFor(this.node, what),
      options: OPTIONS,
      ...asked,
    };
    const { prompt } = question;
    this.attempt.emit("gate_presented", { agent_name: this.node, key, prompt, options: OPTIONS, ...asked });
    const answer: GateAnswer | undefined = engine.skipGates
      ? { kind: "gate", value: "deny", additional_input: {}, by: "skip-gates" }
      : await this.#askPerson(path, question);
    if (!answer) {
      this.pending = question;
      return "later";
    }
    const allowed = answer.value === "allow";
    this.attempt.emit("gate_resolved", {
      agent_name: this.node,
      key,
      selected_option: allowed ? "allow" : "deny",
      route: null,
      additional_input: {},
      ...recordedAnswerer(answer),
    });
    const { startedAt } = await engine.durable.timed(() => undefined);
    this.given.push({ what, allowed, by: answer.person ?? answer.by, at: new Date(startedAt).toISOString() });
    return allowed ? "allow" : "deny";
  }

  async #askPerson(path: readonly string[], question: GateQuestion): Promise<GateAnswer | undefined> {
    const { durable } = this.frame.engine;
    const { signal, fiber } = this.attempt;
    const answer = await durable.ask(path, question, signal, { anew: !this.frame.reuse, fiber });
    return answer?.kind === "gate" ? answer : undefined;
  }
}

const ASKS = " asks whether it may ";
const promptFor = (node: string, what: string): string => `${node}${ASKS}${what}`;
/** What is asked may have been recorded without its secrets; the digest at its end is the same. */
const requestIn = (what: string): string => /\[request [0-9a-f]+\]$/.exec(what)?.[0] ?? what;
const whatOf = (prompt: string): string => prompt.slice(prompt.indexOf(ASKS) + ASKS.length);
