// Makes the guard of a drive: over the store for real runs, in memory for scenarios. Loaded only when a run needs one.

import type { Envelope } from "../../base/errors/index.ts";
import { keptIn } from "../../base/errors/mapping.ts";
import type { RunState } from "../../base/events/state/state.ts";
import { commandLineReader } from "../../base/results/index.ts";
import type { AgentBoard, Governance, LetterBox, PolicyAnswers } from "../../engine/contract.ts";
import { Guard } from "../../engine/guard/guard.ts";
import { CircuitBreaker } from "../../engine/guard/resilience/circuit-breaker.ts";
import { denied, type Policy, type PolicyResult } from "../../engine/guard/resilience/policy.ts";
import type { PolicyEntry } from "../../language/schema/resilience.ts";
import type { Clock } from "../../steps/step-type.ts";
import type { StepWorld } from "../../steps/world.ts";
import { newRunId } from "../../storage/run-index.ts";
import type { RunLog } from "../../storage/run-log.ts";
import type { RunStore } from "../../storage/store.ts";
import { type Reporting, resultOfRun } from "../reading/report.ts";
import type { Extensions } from "../session/extensions.ts";
import type { Session } from "../session/session.ts";
import { Snapshot } from "../session/snapshot.ts";
import { policyCodeOf } from "./policy-code.ts";
import { PolicyModules } from "./policy-modules.ts";
import { memoryPlaces, storeGovernance, WaitingSlots } from "./store-governance.ts";

export interface Governed extends Omit<Reporting, "folder" | "cwd" | "reader"> {
  readonly session: Session;
  /** Absent for scenarios: theirs is in memory. */
  readonly store?: RunStore;
  readonly run: Pick<RunLog, "runId" | "folder">;
  readonly state: RunState;
  readonly clock: Clock;
  /** Of the steps: policy modules get its environment. */
  readonly world: Pick<StepWorld, "env">;
  /** A scenario, or the journal of a past run, answers for policies too. */
  readonly scripted?: { readonly policies: PolicyAnswers };
  /** The fleet of the run, where the worker got it by an option. */
  readonly fleet?: string | undefined;
}

export interface DriveGuard {
  readonly guard: Guard;
  close(): void | Promise<void>;
}

export async function guardOf(drive: Governed): Promise<DriveGuard> {
  const { store, run, clock, redactor, scripted } = drive;
  const { workflow } = drive;
  let loaded: PolicyModules | undefined;
  // A scenario runs no module but before steps that are live.
  const modules = (): PolicyModules => {
    loaded ??= new PolicyModules(
      drive.world.env,
      policyCodeOf(workflow, drive.session.readsFrom?.snapshot ?? new Snapshot()),
    );
    return loaded;
  };
  const kept = store && storeGovernance(store, run.runId, clock, redactor, drive.state.drives > 0);
  if (!scripted) await modules().load();
  const guard = new Guard({
    ...(kept ?? memoryGovernance(clock)),
    policyFrom: (entry, dir) => {
      const real = (): Policy => policyOfCode(entry, dir, modules, drive.session.extensions?.policies);
      if (scripted) return scripted.policies.policyFrom(entry, real);
      return (entry.module ?? entry.policy) === undefined ? undefined : real();
    },
    verdictOn: scripted?.policies.verdictOn,
    // Escalations reach a person at a terminal, not the driver of the run: hints are commands.
    resultWith(error, node, path) {
      const about = {
        ...drive,
        cwd: drive.session.cwd,
        folder: run.folder,
        reader: commandLineReader({ fleet: drive.fleet }),
      };
      return JSON.stringify(resultOfRun(endedWith(drive.state, error, node, path), about));
    },
  });
  return {
    guard,
    close() {
      loaded?.close();
      return kept?.agents.close();
    },
  };
}

/** The run as it would be if it ended here. */
const endedWith = (state: RunState, error: Envelope, node: string, path: readonly string[]): RunState => {
  const { message } = error;
  const failure = {
    errorType: "UnhandledWorkflowError",
    message,
    node,
    error,
    path,
    errorsJsonl: null,
    resumable: true,
  };
  return { ...state, status: "failed", failure };
};

const policyOfCode = (
  { module, policy = "" }: PolicyEntry,
  dir: string,
  modules: () => PolicyModules,
  own: Extensions["policies"],
): Policy => (module === undefined ? ownPolicy(policy, own) : modules().policy(module, dir));

const LIMIT_MS = 5000;

/** Policies that plugins bring: asked in this process, and held to the same time limit as modules. */
function ownPolicy(name: string, policies: Extensions["policies"] = {}): Policy {
  const policy = Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (!policy)
    return {
      name,
      description: "A policy that no plugin brings.",
      evaluate: () => denied(name, `there is no policy ${name}: no plugin of the project brings one of that name`),
    };
  return {
    name,
    description: policy.description,
    evaluate: (context) => within(name, Promise.resolve(policy.evaluate(context))),
  };
}

async function within(name: string, verdict: Promise<PolicyResult>): Promise<PolicyResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PolicyResult>((resolve) => {
    timer = setTimeout(() => resolve(denied(name, `it did not answer within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    return await Promise.race([verdict, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same in memory: a scenario shares it with no other run, and it is empty at the start. */
function memoryGovernance(clock: Clock): Pick<Governance, "breaker" | "letters" | "slots" | "agents"> {
  const breakers = new Map<string, CircuitBreaker>();
  return {
    breaker(name, settings) {
      const place = { now: () => clock.now(), isGone: () => false };
      return keptIn(breakers, name, () => new CircuitBreaker(name, settings, place));
    },
    letters: memoryLetters(),
    slots: new WaitingSlots(memoryPlaces()),
    agents: memoryAgents(),
  };
}

function memoryLetters(): LetterBox {
  const open = new Map<string, { id: string; kind: string }>();
  return {
    put({ place, kind }) {
      const id = open.get(place)?.id ?? newRunId();
      open.set(place, { id, kind });
      return id;
    },
    waiting: (place) => open.get(place),
    resolve: (place) => {
      open.delete(place);
    },
  };
}

/** There is no other run; only how an agent went last is known. */
function memoryAgents(): AgentBoard {
  const last = new Map<string, boolean>();
  return {
    begin: (step) => ({ running_in: [], last_failed: last.get(step) === false }),
    end: (step, _key, ok) => {
      if (ok !== undefined) last.set(step, ok);
    },
  };
}
