// Every step type by name. Adding one is a folder and a line here.

import type { EventType } from "../base/events/registry.ts";
import { agent } from "./agent/index.ts";
import { http } from "./http/index.ts";
import { humanGate } from "./human-gate/index.ts";
import { mcp } from "./mcp/index.ts";
import { questions } from "./questions/index.ts";
import { script } from "./script/index.ts";
import { set } from "./set/index.ts";
import type { AnsweredBy, Executor, StepEvents, StepType } from "./step-type.ts";
import { terminate } from "./terminate/index.ts";
import { wait } from "./wait/index.ts";
import { workflow } from "./workflow/index.ts";

export const STEP_TYPES = {
  agent,
  script,
  http,
  mcp,
  set,
  wait,
  human_gate: humanGate,
  questions,
  workflow,
  terminate,
} as const satisfies StepTypes;

export type StepTypes = Readonly<Record<string, StepType>>;
export type StepTypeName = keyof typeof STEP_TYPES;

export const STEP_TYPE_NAMES = Object.keys(STEP_TYPES) as readonly StepTypeName[];

/** What is known of a plugin's type in places that do not have it. */
const OF_PLUGIN: Partial<StepType> = {};

export const stepTypeOf = <Step extends { readonly type: string }>({ type }: Step): Partial<StepType<Step>> =>
  (Object.hasOwn(STEP_TYPES, type) ? STEP_TYPES[type as StepTypeName] : OF_PLUGIN) as Partial<StepType<Step>>;

/** Where a scenario answers for the steps of a type. */
export const answeredBy = (type: string): AnsweredBy => stepTypeOf({ type }).answeredBy ?? "step_scripts";

export const eventsOfTypes = (which: keyof StepEvents): readonly EventType[] =>
  Object.values<StepType>(STEP_TYPES).flatMap(({ events }) => events?.[which] ?? []);

/** The executors of some types, those of `own` before Segno's: loaded once, so that no visit waits for its own. */
export async function loadExecutors(
  used: Iterable<string>,
  own: StepTypes = {},
): Promise<(type: string) => Executor<never, unknown>> {
  const loaded = new Map<string, Executor<never, unknown>>();
  const types: StepTypes = { ...STEP_TYPES, ...own };
  const load = async (type: string): Promise<void> => {
    const executor = await types[type]?.executor?.();
    if (executor) loaded.set(type, executor);
  };
  await Promise.all([...new Set(used)].map(load));
  return (type) => {
    const executor = loaded.get(type);
    if (executor === undefined) throw new Error(`nothing carries out a step of type ${type}`);
    return executor;
  };
}
