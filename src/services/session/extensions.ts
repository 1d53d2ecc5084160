// What users add to runs: own step types, providers, policies and graders, which files know by name; workflows that are
// defined in code, with their functions; and another clock.
import type { Policy } from "../../engine/guard/resilience/policy.ts";
import type { OwnGrader } from "../../features/evals/graders/grade.ts";
import type { DefinedFile } from "../../language/loaded.ts";
import type { ValidateOptions } from "../../language/validate.ts";
import type { Provider } from "../../providers/provider.ts";
import type { HostClock } from "../../storage/clock.ts";
import type { StepFunction } from "../own-steps/definition.ts";
import type { OwnStep } from "../own-steps/own-step.ts";

export interface Extensions {
  readonly stepTypes?: NonNullable<ValidateOptions["stepTypes"]>;
  /** By name; one of a name that Segno has replaces it. */
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly policies?: Readonly<Record<string, Policy>>;
  readonly graders?: Readonly<Record<string, OwnGrader>>;
  readonly clock?: HostClock;
  /** Workflows that are defined in code, by absolute path. */
  readonly defined?: ReadonlyMap<string, DefinedFile>;
  /** The functions that steps of these are. */
  readonly functions?: ReadonlyMap<string, StepFunction>;
  /** Why plugins that the project lists are not among them: a sentence for errors about a missing one. */
  readonly missing?: string;
}

export interface OwnDefinitions {
  readonly steps?: readonly OwnStep[];
  readonly providers?: readonly Provider[];
  readonly policies?: readonly Policy[];
  readonly graders?: readonly OwnGrader[];
}

/** The module that reads own steps is loaded only where there are some. */
export async function extensionsFrom({
  steps = [],
  providers = [],
  policies = [],
  graders = [],
}: OwnDefinitions): Promise<Extensions> {
  const own = steps.length === 0 ? undefined : await import("../own-steps/own-step-type.ts");
  return {
    ...(own ? { stepTypes: Object.fromEntries(steps.map((step) => [step.type, own.ownStepType(step)])) } : {}),
    ...(providers.length > 0 ? { providers: byName(providers) } : {}),
    ...(policies.length > 0 ? { policies: byName(policies) } : {}),
    ...(graders.length > 0 ? { graders: byName(graders) } : {}),
  };
}

const byName = <One extends { readonly name: string }>(all: readonly One[]): Readonly<Record<string, One>> =>
  Object.fromEntries(all.map((one) => [one.name, one]));

export const knownTo = ({ stepTypes, providers, policies, missing }: Extensions = {}): ValidateOptions => ({
  ...(stepTypes ? { stepTypes } : {}),
  ...(providers ? { providers: Object.keys(providers) } : {}),
  ...(policies ? { policies: Object.keys(policies) } : {}),
  ...(missing === undefined ? {} : { missingPlugins: missing }),
});
