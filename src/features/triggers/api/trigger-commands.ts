// What a person does to triggers from a page: pause, resume, fire. Only those of the trusted project that the server drives,
// and of workflows that could be started here.

import { TooLate } from "../../../frontends/server/commands/conflicts.ts";
import type { WatchedRuns } from "../../../frontends/server/views/watched-runs.ts";
import type { Project } from "../../../services/project/read-project.ts";
import { Refused, refusal } from "../../../services/refusals.ts";
import { confineFamily } from "../../../services/runs/roots.ts";
import { programName } from "../../../services/session/program-name.ts";
import type { Session } from "../../../services/session/session.ts";
import { type FireRequest, leaveFiring } from "../fire-by-hand.ts";
import { pauseTrigger, showTrigger, type TriggersAnswer, type TriggerView } from "../index.ts";
import { triggerNamed } from "../known-trigger.ts";

const GIVEN_ON_PAGE = {
  body: "Give what the webhook would bring, as JSON.",
  run: "It reads the run that ended: name one",
};

export class TriggerCommands {
  /** `session.cwd` is the root. */
  constructor(
    private readonly watched: WatchedRuns,
    private readonly session: Session,
    private readonly project: Project | undefined,
  ) {}

  /** A second caller gets the name of the person who paused it. */
  async pause(name: string, paused: boolean): Promise<readonly TriggerView[]> {
    const session = this.#allowed(name);
    const request = { name, now: Date.now() };
    const [before] = given(await showTrigger(session, request));
    if (before?.paused === paused) throw tooLate(before);
    return given(await pauseTrigger(session, { ...request, paused }));
  }

  /** The server starts the run, as it does those of other firings. */
  async fire({ name, body, run }: Pick<FireRequest, "name" | "body" | "run">) {
    const session = this.#allowed(name);
    const ended = run === undefined ? undefined : await this.watched.idOf(run);
    return { run_id: await leaveFiring(session, { name, now: Date.now(), give: GIVEN_ON_PAGE, body, run: ended }) };
  }

  #allowed(name: string): Session {
    if (!this.project)
      throw refusal("this server drives no triggers: it does not stand in a trusted project", {
        hint: `${programName(this.session.env)} trust shows what would be executed or sent, and asks.`,
      });
    confineFamily(triggerNamed(name, this.project).file, [this.session.cwd], this.session);
    return { ...this.session, cwd: this.project.dir };
  }
}

function given(answer: TriggersAnswer): readonly TriggerView[] {
  if (answer.success) return answer.triggers;
  const { trusted: _, triggers: _triggers, ...result } = answer;
  throw new Refused(result as Refused["result"]);
}

const tooLate = ({ name, paused, paused_by: by, paused_at: at }: TriggerView): TooLate =>
  paused
    ? new TooLate(`${name} is paused already${by === null ? "" : `, by ${by}`}`, { what: "paused", by, at })
    : new TooLate(`${name} is not paused any more`, { what: "resumed", by: null, at: null });
