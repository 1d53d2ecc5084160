// A run in memory whose file is edited between two drives, beside a new run of the edited file.
import { expect } from "vitest";
import type { EventType } from "../../src/base/events/registry.ts";
import { MemoryRun } from "../support/engine/memory-run.ts";
import type { raises, ScriptAnswers } from "../support/engine/scripted-world.ts";

type Answer = string | ReturnType<typeof raises>;
type Files = Readonly<Record<string, string>>;
type Edit = readonly [text: string, replacement: string, file?: string];

/** By the number of the attempt: a new run then does what the resumed one did. */
export const byAttempt = (answers: Readonly<Record<string, readonly Answer[]>>): ScriptAnswers =>
  Object.fromEntries(
    Object.entries(answers).map(([node, list]) => [
      node,
      [({ attempt }) => list[Math.min(attempt, list.length) - 1] ?? "ok"],
    ]),
  );

export class Edited {
  readonly run: MemoryRun;
  #files: Files;

  constructor(
    file: string | Files,
    readonly scripts: ScriptAnswers,
  ) {
    this.#files = typeof file === "string" ? { "main.yaml": file } : file;
    this.run = new MemoryRun(this.#files);
  }

  drive() {
    return this.run.drive({ scripts: this.scripts });
  }

  /** As if the last drive had been killed right after it wrote the nth event of this type. */
  cutAfter(type: EventType, nth = 1): void {
    const { journal } = this.run;
    const from = journal.findLastIndex((event) => event.type === "workflow_started" || event.type === "run_resumed");
    const found = journal.flatMap((event, index) => (index > from && event.type === type ? [index] : []))[nth - 1];
    if (found === undefined) throw new Error(`nothing was recorded of ${type}`);
    this.run.journal = journal.slice(0, found + 1);
  }

  /** Resumes with the file as it is after these edits; gives what ran. */
  async endsAsNew(...edits: readonly Edit[]): Promise<readonly string[]> {
    for (const [text, replacement, file = "main.yaml"] of edits) {
      this.run.edit(text, replacement, file);
      this.#files = { ...this.#files, [file]: (this.#files[file] ?? "").replace(text, replacement) };
    }
    const { end, ran } = await this.drive();
    const anew = await new MemoryRun(this.#files).drive({ scripts: this.scripts });
    expect(end.type === "completed" ? { ...end, reused: false } : end).toEqual(anew.end);
    return ran;
  }
}

/** Of a workflow: how often things happened, and in which order. */
export const OUTPUT = `output: { iteration: "{{ context.iteration }}", history: "{{ context.history | join(' ') }}" }`;
