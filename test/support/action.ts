// The steps of action.yml as GitHub runs them, with the program in place of the published one.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parse } from "yaml";
import { KEPT_CODE, PROGRAM } from "./program.ts";

interface ActionStep {
  readonly name?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

export const action = parse(readFileSync("action.yml", "utf8")) as {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
};

export const actionStep = (name: string): ActionStep | undefined => action.runs.steps.find((one) => one.name === name);

/** A folder in which `npx segno@…` is the program that was just built, as a child of it: npx passes no signal on. */
export function actionFolder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), "segno-action-"));
  writeFileSync(join(dir, "npx"), `#!/bin/sh\nshift 2\n"${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(join(dir, "npx"), 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

/** `known`: what expressions beside `inputs.…` give, such as `steps.plan.outputs.folder`. */
export function runActionStep(
  name: string,
  inputs: Readonly<Record<string, string>>,
  dir: string,
  known: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
) {
  const step = actionStep(name);
  const given = (expression: string): string => {
    const key = /^inputs\.(.+)$/.exec(expression)?.[1];
    return key === undefined ? (known[expression] ?? "") : (inputs[key] ?? action.inputs[key]?.default ?? "");
  };
  const env = Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([key, value]) => [
      key,
      value.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => given(expression)),
    ]),
  );
  return spawnSync("bash", ["-e", "-o", "pipefail", "-c", step?.run ?? "exit 99"], {
    cwd: dir,
    encoding: "utf8",
    env: {
      ...process.env,
      ...KEPT_CODE,
      GITHUB_ACTION_PATH: resolve("."),
      ...variables,
      ...env,
      PATH: `${dir}${delimiter}${process.env.PATH}`,
      SEGNO_HOME: join(dir, "home"),
    },
  });
}
