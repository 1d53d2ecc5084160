// One piece of work for a coding agent: what is asked of whom, and what the run hands to it.
import type { Caller } from "../../steps/caller.ts";
import type { ModelRequest } from "../../steps/world.ts";
import type { Prices } from "../cost.ts";
import type { CallOptions } from "../options.ts";
import type { Served } from "../registry.ts";
import type { Toolbox } from "../toolbox.ts";
import type { CodingAgent, CodingTask, GuardedPaths } from "./agent.ts";
import type { AgentProcesses } from "./processes.ts";
import type { AgentSessions } from "./sessions.ts";

/** What a run hands to every agent that works in a folder. */
export interface CodingGround {
  readonly processes: AgentProcesses;
  readonly guarded: GuardedPaths;
  readonly sessions?: AgentSessions;
}

export interface CodingCall {
  readonly agent: CodingAgent;
  readonly target: Served;
  readonly request: ModelRequest;
  readonly attempt: Caller;
  readonly options: CallOptions;
  readonly toolbox: Toolbox;
  readonly ground: CodingGround;
  readonly env: CodingTask["env"];
  readonly prices: Prices;
  readonly random: () => number;
  readonly warn: (message: string) => void;
}
