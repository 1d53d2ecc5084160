// `settings: user`: an agent has a folder of its own in the run's, so what its user wrote for it is brought there, by name.
// Logins and histories stay where they are.
import { cp } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the agent's program keeps its user's settings. */
export const ofUser = (env: Environment, variable: string, name: string): string =>
  env[variable] || join(env.HOME || homedir(), name);

/** What is not there is not brought. */
export async function bringSettings(from: string, names: readonly string[], to: string): Promise<void> {
  for (const name of names)
    await cp(join(from, name), join(to, name), { recursive: true, dereference: true }).catch((problem: unknown) => {
      if ((problem as NodeJS.ErrnoException).code !== "ENOENT") throw problem;
    });
}
