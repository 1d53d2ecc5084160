// A visit while its events are still coming in. What is told of it in the end is made by `told-visit.ts` and `trouble.ts`.
import type { Envelope } from "../../errors/index.ts";
import type { EventData } from "../../events/registry.ts";
import type { Retry, ShellTail, VisitStatus } from "./story.ts";

export type Considered = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly considered: readonly Considered[];
  /** Absent: no route took it. */
  readonly routed?: EventData<"error_routed">;
  /** Why reading stopped: a condition could not be evaluated. */
  readonly problem?: string;
}

export type MemberStatus = "running" | "completed" | "reused" | "failed" | "recovered" | "cancelled";

export interface VisitRecord {
  readonly key: string;
  readonly node: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly group: string | undefined;
  readonly itemKey: string | undefined;
  status: VisitStatus;
  attempts: number;
  elapsedMs: number;
  hash: string | undefined;
  definition: string | undefined;
  why: string | undefined;
  answer: string | undefined;
  reason: string | undefined;
  readonly errors: Envelope[];
  /** Of an outcome that is reused and was an error: a route had taken it. */
  reusedKind: string | undefined;
  shell: ShellTail | null;
  reading: Reading | undefined;
  readonly retries: Retry[];
  recoveredBy: string | undefined;
  /** Of a group: members or items by name. */
  members: { count: number; readonly states: Map<string, MemberStatus> } | undefined;
  /** Of a sub-workflow: what ran in it, of the latest child. */
  inner: VisitRecord[] | undefined;
}

type Began = Pick<VisitRecord, "key" | "node" | "type" | "path" | "group" | "itemKey">;

const CONTAINERS: ReadonlySet<string> = new Set(["parallel", "for_each", "workflow"]);

/** Whether the node only holds others: what goes wrong in it began further in. */
export const isContainer = ({ type }: Pick<VisitRecord, "type">): boolean => CONTAINERS.has(type);

export const newRecord = (began: Began): VisitRecord => ({
  ...began,
  status: "running",
  attempts: 0,
  elapsedMs: 0,
  hash: undefined,
  definition: undefined,
  why: undefined,
  answer: undefined,
  reason: undefined,
  errors: [],
  reusedKind: undefined,
  shell: null,
  reading: undefined,
  retries: [],
  recoveredBy: undefined,
  members: undefined,
  inner: undefined,
});

const TAIL = 2000;

/** The end of what a failed attempt's process said. */
export function shellOf(output: unknown, command: unknown): ShellTail | null {
  if (typeof output !== "object" || output === null) return null;
  const { stderr, exit_code } = output as Readonly<Record<string, unknown>>;
  if (typeof stderr !== "string" && typeof exit_code !== "number") return null;
  return {
    command: typeof command === "string" ? command : null,
    exit_code: typeof exit_code === "number" ? exit_code : null,
    stderr: typeof stderr === "string" && stderr.trim() !== "" ? stderr.trimEnd().slice(-TAIL) : null,
  };
}
