// The arguments of tools. One name and one meaning everywhere, so that an agent that knows one tool knows the others.
import { z } from "zod";
import type { GivenInput } from "../services/request.ts";

export const file = z.string().min(1).describe("relative to the root");
export const inputs = z.record(z.string(), z.unknown()).describe("by name; workflow_describe lists them").default({});
export const run_id = z.string().min(1).describe("or its first or last 6 characters");
export const failed_items = z.boolean().default(false).describe("run the items again that its groups lost");
export const changed_files = z
  .boolean()
  .default(false)
  .describe("also run steps again whose script files have changed");
export const wait_seconds = z.number().min(0).max(3600).default(50).describe("then the answer has status `running`");
export const detach = z.boolean().default(true).describe("false: the run stops when this server ends");
export const letter_id = z.string().min(1).describe("of dlq_list");
export const gate = z.string().min(1).describe("its name in gate_list; needed when several wait");
export const value = z.string().describe("the option's value; for one question the answer");
export const additional_input = z
  .record(z.string(), z.string())
  .default({})
  .describe("texts that the option asks for; for questions the answers by id");
export const after_seq = z.int().min(0).default(0).describe("only events after this number");

/** Inputs as values, which are checked against what the workflow declares. */
export const inputsByValue = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, GivenInput>> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]));
