// Where a face stands: its folder, environment and store, the project that it is in, and who asks. A face opens one session,
// and hands it to every service.

import type { Reader } from "../../base/results/reader.ts";
import type { LoadedWorkflow, LoadWorld } from "../../language/loaded.ts";
import { anyCase, PLATFORM, type Variables } from "../../steps/process/platform.ts";
import type { Extensions } from "./extensions.ts";
import type { PeopleBook } from "./people.ts";
import type { Snapshot } from "./snapshot.ts";

export interface Session {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readsFrom?: SessionFiles;
  /** The folder of runs that is named; left out: `SEGNO_HOME`, else `~/.segno`. `homeOf` resolves it. */
  readonly home?: string;
  /** The Postgres of a fleet, as an address; else `SEGNO_ON`. Left out: everything is in the home. */
  readonly fleet?: string;
  /** Who reads the hints of the answer; people at a terminal when it is left out. */
  readonly reader?: Reader;
  /** Own step types, providers and policies: of a project's plugins, or of a user of the library. */
  readonly extensions?: Extensions;
  /** The address of the page, for links to it. */
  readonly page?: string;
  /** Who acts, where that is known better than by the user of this machine: by the page's token. */
  readonly person?: string;
  readonly project?: SessionProject;
  /** Called with what of the store could not be read and is missing in the answer. */
  readonly leftOut?: (text: string) => void;
  /** Called with the time of the store's clock where that is not this machine's: stored times are relative to it. */
  readonly storeTime?: (now: number) => void;
}

/** Where files are read from; left out: from the disk. */
export interface SessionFiles {
  /** As an editor has them, unsaved text included. */
  readonly overlay?: LoadWorld;
  /** As the action has read them that the session is of. */
  readonly snapshot?: Snapshot;
}

/** What the project says that the caller stands in; of a run, what the project of its workflow file says. */
export interface SessionProject {
  /** The project file that names the home, when it is not trusted: what is kept there may have come with a clone. */
  readonly homeNamedBy?: string;
  /**
   * Loads a workflow that is code; refused where not trusted. Absent without a project. `isPlaced`: the path may be of
   * another copy of the project, and this one's file is loaded.
   */
  readonly loadDefinition?: (
    file: string,
    isPlaced?: boolean,
  ) => Promise<Required<Pick<Extensions, "defined" | "functions">>>;
  /** What counts where neither the step nor the file says anything. */
  readonly defaults?: RuntimeDefaults;
  /** Whether it offers a workflow file; absent: every file is. */
  readonly offers?: (file: string) => boolean;
  /** Its own files, its plugins among them: what an agent writes there would act later, so it may not. */
  readonly actingFiles?: readonly string[];
  /** Variables of `env` that are secret, such as people's tokens: nothing that a run starts gets them. */
  readonly confidential?: readonly string[];
  /** A collector's address, where it is trusted and names one; else `SEGNO_OTLP`. */
  readonly otlp?: string;
  /** Of a worker on a fleet that is made of cells: the one that it serves. */
  readonly cell?: string;
  /** Who answers gates, and the groups that `approvers` may name. */
  readonly people?: PeopleBook;
}

/** What a project says about models and durability where a workflow file says nothing. */
export interface RuntimeDefaults {
  readonly provider?: string;
  readonly model?: string;
  readonly durability?: "process" | "power";
  /** Beside those of the file, which they do not replace. */
  readonly limits?: LoadedWorkflow["definition"]["workflow"]["runtime"]["limits"];
}

/** What a project adds to the session of a face that stands in it. */
export type ProjectPart = Pick<Session, "home" | "fleet" | "page" | "extensions" | "project">;

/** What the caller says counts before the environment, and that before what the project says. */
export function openSession(given: Session, { home, fleet, page, extensions, project }: ProjectPart = {}): Session {
  const { env } = given;
  const ownHome = given.home ?? (env.SEGNO_HOME ? undefined : home);
  const isNamedElsewhere = ownHome !== home;
  return {
    ...given,
    home: ownHome,
    fleet: given.fleet ?? (env.SEGNO_ON ? undefined : fleet),
    page: given.page ?? page,
    extensions: given.extensions ?? extensions,
    project: isNamedElsewhere && project ? { ...project, homeNamedBy: undefined } : project,
  };
}

export const environmentHere = (env: Variables = process.env, platform = PLATFORM): Variables =>
  platform === "win32" ? anyCase(env) : env;
