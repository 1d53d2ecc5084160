// What the tests of this room share: a task, and hooks that record what they hear.
import type { CodingHooks, CodingTask, PermissionAnswer } from "../../src/features/coding-agents/agent.ts";
import { permissionsOf } from "../../src/features/coding-agents/permissions.ts";

export const testTask = (fields: Partial<CodingTask> = {}): CodingTask => ({
  model: "m",
  system: "",
  prompt: "Go.",
  session: { id: "s-1", isNew: true },
  tools: [],
  builtIns: null,
  maxTurns: 10,
  settings: { base_url: "http://127.0.0.1:1" },
  permissions: permissionsOf({}),
  env: { PATH: "/bin" },
  cwd: "/tmp",
  home: "/tmp/home",
  project: "/tmp",
  guarded: { readOnly: [], unreadable: [] },
  mark: ["MARK", "1"],
  processes: {
    machine: { platform: "linux", arch: "x64" },
    startNow: () => {
      throw new Error("nothing is started in this test");
    },
    makeFolder: () => Promise.reject(new Error("no folder is made in this test")),
    endMarked: async () => {},
    enterFolder: async () => ({ leave: async () => {} }),
    clearFolders: async () => {},
    isWorkedIn: () => false,
  },
  signal: new AbortController().signal,
  ...fields,
});

export interface HeardHooks extends CodingHooks {
  readonly heardOf: readonly (readonly unknown[])[];
}

export function testHooks(answer: PermissionAnswer = "deny"): HeardHooks {
  const heardOf: (readonly unknown[])[] = [];
  const hear =
    (name: string) =>
    (...said: readonly unknown[]): void => {
      heardOf.push([name, ...said]);
    };
  return {
    heardOf,
    session: async (id) => hear("session")(id),
    spawned: hear("spawned"),
    heard: () => {},
    turn: hear("turn"),
    text: hear("text"),
    reasoning: hear("reasoning"),
    warn: hear("warn"),
    toolStarted: hear("toolStarted"),
    toolCompleted: hear("toolCompleted"),
    runTool: async ({ id, name }) => ({ id, name, text: `${name} ran`, failed: false }),
    used: (used) => {
      hear("used")(used);
      return true;
    },
    permit: async (what) => {
      hear("permit")(what);
      return answer;
    },
    denied: hear("denied"),
  };
}
