// What was asked of a drive, as plain data: it travels to whichever worker takes it.
import { actingPerson } from "../access/acting-person.ts";
import { namesOfPeople, type PeopleBook } from "../access/people.ts";
import type { Reopening } from "../letters/reopened.ts";
import type { GivenInput, Rerun, ResumeRequest, RunOrigin, RunRequest } from "../request.ts";
import type { SplitInputs } from "../secrets/secret-inputs.ts";
import type { RuntimeDefaults } from "../session/runtime-defaults.ts";
import type { Session } from "../session/session.ts";

/** Files that travel with a drive: of which drive of the journal they are, and the digest of them all. */
export interface TravellingSources {
  readonly drive: number;
  readonly digest: string;
}

interface Common {
  /** The files that count. What an older Segno placed does not say. */
  readonly sources?: TravellingSources | "as recorded";
  /** Absolute; where the request came from. */
  readonly cwd: string;
  readonly skipGates?: boolean;
  readonly maxIterations?: number;
  readonly provider?: string;
  /** What the project that it comes from says where neither the step nor the file does. */
  readonly defaults?: RuntimeDefaults;
  /** The people and groups of that project, by name only: `approvers` was held against them. */
  readonly people?: PeopleBook;
  /** The address of the page that it was started from, for links. */
  readonly page?: string;
}

/** Of the origin `startedBy` is not the user of the worker that takes it. */
export interface FirstDrive extends Common, RunOrigin {
  readonly kind: "first";
  readonly file: string;
  /** The file of the scenario that answers for the world: it travels with the run. */
  readonly scenario?: string;
  /** Of the scenario, whatever it says itself. */
  readonly strict?: boolean;
  readonly durability?: "process" | "power";
  /** As the journal has them, with the names of those that are secret. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly hidden_inputs?: readonly string[];
}

export interface FurtherDrive extends Common, Pick<ResumeRequest, "file" | "skipWaits">, Omit<Rerun, "failedItems"> {
  readonly kind: "further";
  readonly inputs: Readonly<Record<string, GivenInput>>;
  /** Who asked for it: not the user of the worker that takes it. */
  readonly by?: string;
  readonly answers?: boolean;
  readonly reopen?: { readonly places: readonly string[]; readonly others: readonly string[] };
}

export type FleetRequest = FirstDrive | FurtherDrive;

type Asked = Omit<Common, "sources">;

const common = ({ cwd, skipGates, maxIterations, provider, defaults, people, page }: Asked): Common => ({
  cwd,
  ...(skipGates ? { skipGates } : {}),
  ...(maxIterations === undefined ? {} : { maxIterations }),
  ...(provider === undefined ? {} : { provider }),
  ...(defaults === undefined ? {} : { defaults }),
  ...(people === undefined ? {} : { people: namesOfPeople(people) }),
  ...(page === undefined ? {} : { page }),
});

/** A drive that goes on as the one before was asked to. */
export const plainFurther = (asked: FleetRequest): FurtherDrive => ({
  kind: "further",
  sources: "as recorded",
  inputs: {},
  ...common(asked),
});

export const firstDrive = (
  session: Session,
  request: RunRequest,
  file: string,
  { journal, names }: Pick<SplitInputs, "journal" | "names">,
  sources: TravellingSources,
  scenario?: string,
): FirstDrive => ({
  kind: "first",
  sources,
  file,
  inputs: journal,
  hidden_inputs: names,
  ...common({ ...session, ...session.project, ...request }),
  ...(scenario === undefined ? {} : { scenario }),
  ...(scenario === undefined || request.strict === undefined ? {} : { strict: request.strict }),
  ...(request.durability === undefined ? {} : { durability: request.durability }),
  ...request.origin,
});

export const furtherDrive = (
  session: Session,
  request: ResumeRequest & { readonly reopen?: Reopening; readonly answers?: boolean },
  file: string | undefined,
  sources: FurtherDrive["sources"] = "as recorded",
): FurtherDrive => ({
  kind: "further",
  sources,
  inputs: request.inputs,
  by: actingPerson(session),
  ...(request.answers ? { answers: true } : {}),
  ...common({ ...session, ...session.project, ...request }),
  ...(file === undefined ? {} : { file }),
  ...(request.rerun?.from === undefined ? {} : { from: request.rerun.from }),
  ...(request.rerun?.force ? { force: true } : {}),
  ...(request.rerun?.changedFiles ? { changedFiles: true } : {}),
  ...(request.skipWaits ? { skipWaits: true } : {}),
  ...(request.reopen ? { reopen: { places: [...request.reopen.places], others: [...request.reopen.others] } } : {}),
});
