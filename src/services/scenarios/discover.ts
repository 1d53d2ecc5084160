// Finding scenarios: files named `*.scenario.yaml`, and folders that hold a `scenario.yaml`.
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { refusal } from "../refusals.ts";
import { otherKind } from "../workflows/other-files.ts";
import { loadScenario, ScenarioError } from "./file.ts";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", ".segno"]);

export function discoverScenarios(paths: readonly string[], cwd: string): readonly string[] {
  const found = new Set<string>();
  for (const path of paths.length === 0 ? ["."] : paths) {
    const absolute = resolve(cwd, path);
    if (!existsSync(absolute)) throw refusal(`there is no ${path}: name a scenario file, or a folder with scenarios`);
    if (statSync(absolute).isDirectory()) for (const file of below(absolute)) found.add(file);
    else found.add(absolute);
  }
  return [...found].sort();
}

/** Those of one workflow file, in its folder and below. */
export const scenariosOf = (workflow: string, cwd: string): readonly string[] =>
  discoverScenarios([dirname(workflow)], cwd).filter((file) => {
    try {
      return loadScenario(file, cwd).workflow === workflow;
    } catch (problem) {
      if (problem instanceof ScenarioError) return false;
      throw problem;
    }
  });

function* below(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* below(path);
    } else if (otherKind(entry.name) === "scenario") yield path;
  }
}
