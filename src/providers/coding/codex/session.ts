// What Codex keeps of a session: `sessions/…/rollout-…-ID.jsonl`, in which what surrounds a turn comes before its task.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMapping } from "../../../errors/mapping.ts";
import { type SessionLine, tellsTask } from "../session-file.ts";

export async function hasSession(home: string, id: string): Promise<boolean> {
  const sessions = join(home, "sessions");
  const files = await readdir(sessions, { recursive: true }).catch(() => []);
  const file = files.find((one) => one.endsWith(`-${id}.jsonl`));
  return file !== undefined && (await tellsTask(join(sessions, file), beginsWell()));
}

function beginsWell(): (line: SessionLine) => "task" | "damaged" | "go on" {
  let [isNamed, isInTurn] = [false, false];
  return ({ type, payload }) => {
    if (!isNamed && type !== "session_meta") return "damaged";
    isNamed = true;
    isInTurn ||= type === "turn_context";
    const isSaid = type === "response_item" && isMapping(payload) && payload.role === "user";
    return isInTurn && isSaid ? "task" : "go on";
  };
}
