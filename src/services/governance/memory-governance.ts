// The same in memory: what a scenario shares with nobody, empty at its start.
import type { AgentBoard, Governance, LetterBox } from "../../engine/guard/governance.ts";
import { CircuitBreaker } from "../../engine/guard/resilience/circuit-breaker.ts";
import { newRunId } from "../../hosts/run-id.ts";
import type { Clock } from "../../steps/executor.ts";
import { memoryPlaces, WaitingSlots } from "./slots.ts";

type Shared = Pick<Governance, "breaker" | "letters" | "slots" | "agents">;

export function memoryGovernance(clock: Clock): Shared {
  const breakers = new Map<string, CircuitBreaker>();
  return {
    breaker(name, settings) {
      const breaker =
        breakers.get(name) ?? new CircuitBreaker(name, settings, { now: () => clock.now(), isGone: () => false });
      breakers.set(name, breaker);
      return breaker;
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
      const letter = open.get(place) ?? { id: newRunId(), kind };
      open.set(place, letter);
      return letter.id;
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
