// Errors that a scenario injects: any kind, at any step, without causing the failure.
import type { Engine } from "../../engine/index.ts";
import { raised } from "../../errors/index.ts";
import type { ScenarioFile } from "./file.ts";

export function injection({ inject }: ScenarioFile): NonNullable<Engine["inject"]> {
  const used = new Map<ScenarioFile["inject"][number], number>();
  return (node, path, attempt) => {
    const name = [...path, node].join("/");
    for (const one of inject) {
      const count = used.get(one) ?? 0;
      const fits = (one.step === node || one.step === name) && (one.attempt === undefined || one.attempt === attempt);
      if (!fits || (one.times !== undefined && count >= one.times)) continue;
      used.set(one, count + 1);
      return raised(one.error.kind, one.error.message, one.error.details);
    }
    return undefined;
  };
}
