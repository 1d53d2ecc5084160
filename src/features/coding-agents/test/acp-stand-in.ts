// An agent that speaks ACP and does what a test says, in a playground: the stand-in is a program of its own, in a sandbox like
// any other agent.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Played } from "../../../../test/support/play.ts";
import type { CodingPlayground } from "./workshop.ts";

export type Act = Readonly<Record<string, unknown>>;

const program = fileURLToPath(new URL("../../../../test/fakes/acp-agent.mjs", import.meta.url));

interface StandIn {
  readonly acts: readonly Act[] | readonly (readonly Act[])[];
  /** Of the step, besides its prompt. */
  readonly step?: string;
  /** Of the provider. */
  readonly provider?: string;
  /** Of the workflow. */
  readonly more?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
}

export const standInFile = ({ acts, step = "", provider = "", more = "", env = {}, workingDir = "work" }: StandIn) => `
workflow:
  name: code
  entry_point: fix
  runtime:
    provider:
      name: acp
      command: ${JSON.stringify(program)}
      env: ${JSON.stringify({ PLAY: JSON.stringify(acts), ...env })}
      ${provider}
    working_dir: ${workingDir}
  ${more}
agents:
  - { name: fix, prompt: Do it.${step ? `, ${step}` : ""} }
`;

export async function playStandIn(at: CodingPlayground, standIn: StandIn): Promise<Played> {
  at.write({ "main.yaml": standInFile(standIn) });
  return await at.run("main.yaml");
}

/** What the stand-in was told and answered, in order, from its own home. */
export function heardBy(at: CodingPlayground): Readonly<Record<string, never>>[] {
  const home = at.session.home ?? "";
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("heard.jsonl"))
    .flatMap((path) => readFileSync(join(home, path), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line));
}
