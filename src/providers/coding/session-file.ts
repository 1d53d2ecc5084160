// A session that an agent keeps as a file of JSON lines. What a power cut leaves may be an empty file or a piece of one: it
// is worth going on with only when the task that was given is in it.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isMapping } from "../../errors/mapping.ts";
import { parseJson } from "../../json/bounded.ts";

export type SessionLine = Readonly<Record<string, unknown>>;

/** Looks at lines from the first on, until it is said whether the task is there. */
export async function tellsTask(
  file: string,
  look: (line: SessionLine) => "task" | "damaged" | "go on",
): Promise<boolean> {
  const input = createReadStream(file);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const said = look(mappingIn(text));
      if (said !== "go on") return said === "task";
    }
    return false;
  } catch {
    return false;
  } finally {
    input.destroy();
  }
}

function mappingIn(text: string): SessionLine {
  try {
    const value = parseJson(text);
    return isMapping(value) ? value : {};
  } catch {
    return {};
  }
}
