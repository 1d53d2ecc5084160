// Triggers of the project that the working folder is in.
import type { Result } from "../results/result.ts";
import type {
  HistoryAnswer as FiringsAnswer,
  TriggerView as Trigger,
  FiringView as TriggerFiring,
  TriggersAnswer,
} from "../services/triggers/index.ts";
import { DRIVING, drivingOf } from "./driving.ts";
import type { StoreOptions } from "./options.ts";
import type { DriveOptions } from "./run-options.ts";
import { given, STANDING, standingOf } from "./standing.ts";
import { checkCall, checkGiven } from "./wrong-call.ts";

export type { FiringsAnswer, Trigger, TriggerFiring, TriggersAnswer };

export interface FireOptions extends DriveOptions {
  /** What stands for the body of a webhook. */
  readonly body?: unknown;
  /** What stands for the run that ended, of a trigger that follows runs. */
  readonly run?: string;
}

const NAME = "the name of a trigger";
const services = () => import("../services/triggers/index.ts");

async function list(options: StoreOptions = {}): Promise<TriggersAnswer> {
  await checkGiven("triggers.list", options, STANDING);
  return (await services()).listTriggers(standingOf(options), { now: Date.now() });
}

async function get(name: string, options: StoreOptions = {}): Promise<TriggersAnswer> {
  await checkCall("triggers.get", [NAME, name], options, STANDING);
  return (await services()).showTrigger(standingOf(options), { now: Date.now(), name });
}

async function history(options: StoreOptions & { name?: string; limit?: number } = {}): Promise<FiringsAnswer> {
  await checkGiven("triggers.history", options, [...STANDING, "name", "limit"]);
  const { name, limit = 20 } = options;
  return (await services()).triggerHistory(standingOf(options), { limit, ...given({ name }) });
}

const pausing =
  (paused: boolean) =>
  async (name: string, options: StoreOptions = {}) => {
    const call = paused ? "triggers.pause" : "triggers.resume";
    await checkCall(call, [NAME, name], options, STANDING);
    return (await services()).pauseTrigger(standingOf(options), { now: Date.now(), name, paused });
  };

async function fire(name: string, options: FireOptions = {}): Promise<Result> {
  await checkCall("triggers.fire", [NAME, name], options, [...DRIVING, "body", "run"]);
  const { body, run, ...rest } = options;
  const { fireTrigger } = await import("../services/triggers/fire-by-hand.ts");
  const { session, listeners } = await drivingOf(rest);
  return fireTrigger(session, { name, now: Date.now(), ...given({ body, run }) }, listeners);
}

export const triggers = { list, get, history, pause: pausing(true), resume: pausing(false), fire };
