// Whoever resumes a run with other inputs, another file or changed scripts has made it theirs, as its starter has.
import type { EventData } from "./registry.ts";

type Resumed = Pick<EventData<"run_resumed">, "by" | "answers" | "inputs_changed" | "file_changed" | "changed_files">;

export const changersIn = ({
  by,
  answers,
  inputs_changed,
  file_changed,
  changed_files = false,
}: Resumed): readonly string[] =>
  by !== undefined && !answers && (inputs_changed.length > 0 || file_changed || changed_files) ? [by] : [];
