// The arguments of tools. One name and one meaning everywhere, so that an agent that knows one tool knows the others.
import { z } from "zod";

export const file = z.string().min(1).describe("a workflow file, relative to the root");
export const inputs = z
  .record(z.string(), z.unknown())
  .describe("the workflow's inputs by name; workflow_describe lists them")
  .default({});
export const run_id = z.string().min(1).describe("a run's id, or its first or last 6 characters");
export const failed_items = z
  .boolean()
  .default(false)
  .describe("run the items again that its groups lost; in a degraded run, also what reads them");
export const changed_files = z
  .boolean()
  .default(false)
  .describe("also run steps again whose script files have changed since they ran");
export const wait_seconds = z
  .number()
  .min(0)
  .max(3600)
  .default(60)
  .describe(
    "how long to wait for the run to end; after that the answer has status `running`, and run_status tells more",
  );
export const letter_id = z.string().min(1).describe("a dead letter's id; dlq_list gives them");
export const gate = z.string().min(1).describe("the name of the gate, as gate_list gives it; needed when several wait");
export const value = z.string().describe("the option's value; for questions with one entry the answer itself");
export const additional_input = z
  .record(z.string(), z.string())
  .default({})
  .describe("texts that the chosen option asks for; for questions the answers by id");
export const after_seq = z.int().min(0).default(0).describe("only events after this number");
