// Skills that Codex finds by itself, in the repository and in the user's home. They are instructions like any other:
// where settings are not read, skills are not either. Codex lists what it found, and Segno turns those off.
import { isMapping } from "../../../errors/mapping.ts";
import type { Permissions } from "../permissions.ts";

/** By who put them there, as Codex says it: `system` are its own, `admin` those of the machine. */
const READ: Readonly<Record<Permissions["settings"], readonly string[]>> = {
  none: ["system"],
  project: ["system", "repo"],
  user: ["system", "repo", "user", "admin"],
};

type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** Settings of a thread in which every skill is off that is not to be read, also where a prompt names it. */
export async function skillSettings(
  ask: Ask,
  cwd: string,
  settings: Permissions["settings"],
): Promise<Readonly<Record<string, unknown>>> {
  const { data } = await ask("skills/list", { cwds: [cwd] });
  const found = mappingsIn(data).flatMap(({ skills }) => mappingsIn(skills));
  const off = found.filter(({ scope }) => !READ[settings].includes(String(scope)));
  return { "skills.config": off.map(({ path }) => ({ path, enabled: false })) };
}

const mappingsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isMapping) : [];
