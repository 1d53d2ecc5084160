// Which drive asked what waits for an answer: the files that it had are what the person is asked about. Newer ones may be
// pinned for a drive that was placed and never began, or that did not come to the gate.
import type { RunReader } from "../hosts/run-reader.ts";
import { eachEvent } from "./read-run.ts";

export interface AskingDrive {
  readonly drive: number;
  /** Of the files that it had. */
  readonly digest: string;
}

/** By the gate's key; one that the journal does not have asked in the last drive. */
export async function askingDrives(reader: RunReader): Promise<(key: string) => AskingDrive> {
  const asked = new Map<string, AskingDrive>();
  let now: AskingDrive = { drive: 0, digest: "" };
  await eachEvent(reader.events(), ({ type, data, path }) => {
    if ((type === "workflow_started" && path.length === 0) || type === "run_resumed")
      now = { drive: now.drive + 1, digest: data.definition_hash };
    if (type === "gate_presented" || type === "questions_presented") asked.set(data.key, now);
  });
  return (key) => asked.get(key) ?? now;
}
