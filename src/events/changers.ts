// Whoever resumes a run with other inputs or another file has made it theirs, as its starter has.
import type { EventData } from "./registry.ts";

export const changersIn = ({
  by,
  answers,
  inputs_changed,
  file_changed,
}: Pick<EventData<"run_resumed">, "by" | "answers" | "inputs_changed" | "file_changed">): readonly string[] =>
  by !== undefined && !answers && (inputs_changed.length > 0 || file_changed) ? [by] : [];
