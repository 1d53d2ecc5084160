// What was asked for on the command line, once it is parsed: arguments, options by their long names, and where we stand.

import { commandLineReader, type Reader } from "../../base/results/reader.ts";
import type { Project } from "../../services/project/read-project.ts";
import { programName } from "../../services/session/program-name.ts";
import { openSession, type ProjectPart, type Session } from "../../services/session/session.ts";

/** What a project adds to where we stand. */
export interface AskedProject extends ProjectPart {
  /** The project itself, when it is trusted and has triggers or `retention`: a server sees to them. */
  readonly drives?: Project;
  /** Why a plugin could not be loaded, for a command that is about the project itself. */
  readonly brokenPlugin?: string;
}

export class Asked {
  readonly arguments: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  #session: Session | undefined;
  /** How far the clock of the store that was asked is ahead of this machine's. */
  #ahead = 0;

  constructor(
    given: readonly string[],
    private readonly options: Readonly<Record<string, unknown>>,
    session: { cwd: string; env: Readonly<Record<string, string | undefined>> },
    private readonly project: AskedProject = {},
    private readonly leftOut?: Session["leftOut"],
  ) {
    this.arguments = given;
    this.cwd = session.cwd;
    this.env = session.env;
  }

  /** The same in a project. */
  in(project: AskedProject): Asked {
    return new Asked(this.arguments, this.options, this, project, this.leftOut);
  }

  /** The same, with more step types and workflows. */
  knowing(extensions: Session["extensions"]): Asked {
    return this.in({ ...this.project, ...(extensions && { extensions }) });
  }

  /** The same, with a function that is called with what is missing in an answer. */
  by(leftOut: (text: string) => void): Asked {
    return new Asked(this.arguments, this.options, this, this.project, leftOut);
  }

  get drives(): Project | undefined {
    return this.project.drives;
  }

  get brokenPlugin(): string | undefined {
    return this.project.brokenPlugin;
  }

  /** Where a service is asked from. */
  get session(): Session {
    this.#session ??= openSession(
      {
        cwd: this.cwd,
        env: this.env,
        home: this.text("home"),
        fleet: this.text("on"),
        page: this.env.SEGNO_PAGE_URL || undefined,
        reader: this.reader,
        leftOut: this.leftOut,
        storeTime: (now) => {
          this.#ahead = now - Date.now();
        },
      },
      this.project,
    );
    return this.#session;
  }

  /** The time by which to say how old something of the answer is. */
  get now(): number {
    return Date.now() + this.#ahead;
  }

  /** What the user has to type to call the program. */
  get program(): string {
    return programName(this.env);
  }

  /** Whom hints are for: a user at a terminal, who may have given `--on`. */
  get reader(): Reader {
    return commandLineReader({ program: this.program, fleet: this.text("on") });
  }

  argument(index: number): string | undefined {
    return this.arguments[index];
  }

  /** An argument that the table says is required; parsing has made sure of it. */
  required(index: number): string {
    return this.arguments[index] ?? "";
  }

  flag(name: string): boolean {
    return this.options[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.options[name];
    return typeof value === "string" ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.options[name];
    return typeof value === "number" ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.options[name];
    return Array.isArray(value) ? value.map(String) : [];
  }
}
