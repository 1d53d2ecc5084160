// Runs workflows from text in a folder of their own, through the same services as the command line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RunEvent } from "../../src/base/events/registry.ts";
import type { Result } from "../../src/base/results/index.ts";
import type { DriveListeners, Rerun, ResumeRequest, RunRequest } from "../../src/services/request.ts";
import { resumeRun } from "../../src/services/runs/resume.ts";
import { runWorkflow } from "../../src/services/runs/run.ts";
import type { Session } from "../../src/services/session/session.ts";
import { hostEnv, hostPart } from "./host.ts";

export interface Played {
  readonly result: Result;
  readonly events: readonly RunEvent[];
  readonly errorLines: readonly Record<string, unknown>[];
}

export class Playground {
  readonly folder = mkdtempSync(join(tmpdir(), "segno-play-"));
  readonly session = {
    cwd: this.folder,
    env: { PATH: process.env.PATH, HOME: this.folder, ...hostEnv() } as Record<string, string | undefined>,
    home: join(this.folder, ".home"),
    ...hostPart(),
  };

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  async run(file: string, more: Partial<RunRequest & DriveListeners & Session> = {}): Promise<Played> {
    return played(await runWorkflow({ ...this.session, ...more }, { file, inputs: {}, ...more }, more));
  }

  async resume(target: string, more: Partial<ResumeRequest & Rerun & DriveListeners & Session> = {}): Promise<Played> {
    return played(await resumeRun({ ...this.session, ...more }, { target, inputs: {}, rerun: more, ...more }, more));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function played(result: Result): Played {
  return {
    result,
    events: lines(result.artifacts?.events_jsonl) as unknown as RunEvent[],
    errorLines: lines(result.artifacts?.errors_jsonl ?? undefined),
  };
}

function lines(file: string | undefined): Record<string, unknown>[] {
  try {
    const text = file === undefined ? "" : readFileSync(file, "utf8");
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  } catch {
    return [];
  }
}

/** One workflow from its text, and what came of it. */
export async function play(
  yaml: string,
  more: Partial<RunRequest & DriveListeners & Session> & { readonly files?: Record<string, string> } = {},
): Promise<Played> {
  const ground = new Playground();
  try {
    const { files, ...request } = more;
    ground.write({ "main.yaml": yaml, ...files });
    return await ground.run("main.yaml", request);
  } finally {
    ground.close();
  }
}
