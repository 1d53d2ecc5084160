// Workflows that Conductor 0.1.33 ran with its own engine and scripted agents, and what it answered. Facts, not code:
// `questions.ndjson` holds sharp questions, one each; `random.ndjson` workflows that were made at random.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** How a run went, in words that both engines have. A field that is absent was not recorded. */
export interface Answer {
  readonly status: "completed" | "failed" | "terminated" | "refused";
  readonly termination?: "success" | "failed";
  readonly reason?: string;
  readonly output?: unknown;
  /** What kind of failure it was: `template`, `schema`, `limit` … */
  readonly error_class?: string;
  /** Nodes in the order in which they ended: `plan`, `group(a,b!)`. */
  readonly trace?: readonly string[];
  /** What agents were asked, in no order: `agent: prompt`. */
  readonly prompts?: readonly string[];
}

export interface Case {
  readonly name: string;
  readonly asks?: string;
  readonly files: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Answers by agent, in order; the last one repeats. `{error}` is a call that fails. */
  readonly agents?: Readonly<Record<string, readonly unknown[]>>;
  readonly conductor: Answer;
}

export const casesIn = (file: string): readonly Case[] =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
