// What an agent was denied: by its sandbox's policy, or by a person who was asked. Kept for the attempt, since an agent that
// is asked again for its answer was denied what it was denied before.
import type { AgentDenial } from "../../errors/index.ts";
import type { Caller } from "../../steps/caller.ts";
import { wishInOneLine } from "./describe-call.ts";

/** More say nothing more. */
const MOST = 100;

const byPolicy = new WeakMap<Caller, AgentDenial[]>();

/** Without anyone being asked. A warning of the run names it. */
export function denyByPolicy(attempt: Caller, request: string, warn: (message: string) => void): void {
  const denied = byPolicy.get(attempt) ?? [];
  const what = wishInOneLine(request);
  byPolicy.set(attempt, denied);
  if (denied.length >= MOST || deniedTo(attempt).some((one) => one.what === what)) return;
  denied.push({ what, by: "policy", at: new Date(attempt.clock.now()).toISOString() });
  warn(
    `${attempt.node} was not allowed to ${what}. Allow it by \`sandbox\`, \`allow\` or \`network\`, or let a person decide with \`ask: gate\`.`,
  );
}

export function warnOfDenial(attempt: Caller, request: string, warn: (message: string) => void): void {
  const what = wishInOneLine(request);
  const denial = deniedTo(attempt).find((one) => one.what === what);
  if (denial) warn(`${attempt.node} was not allowed to ${what}: ${denial.by} said no.`);
}

/** In this attempt, and in earlier drives of it by people. */
export function deniedTo(attempt: Caller): readonly AgentDenial[] {
  const byPeople = (attempt.permissions?.given ?? []).filter(({ allowed }) => !allowed);
  const asked = byPeople.map(({ what, by, at }) => ({ what: wishInOneLine(what), by, at }));
  return [...asked, ...(byPolicy.get(attempt) ?? [])];
}
