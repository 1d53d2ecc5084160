// One server: its parts put together, listening until it is closed.
import { join } from "node:path";
import { measureThisProcess } from "../../features/telemetry/switch.ts";
import { TriggerCommands } from "../../features/triggers/api/trigger-commands.ts";
import type { Project } from "../../services/project/read-project.ts";
import { refusal } from "../../services/refusals.ts";
import { BackgroundRuns, type ClosedRuns } from "../../services/runs/background.ts";
import { PROJECT_FILE } from "../../services/session/find-project.ts";
import { packageFolder, version } from "../../services/session/home.ts";
import { actingPerson } from "../../services/session/people.ts";
import { personOfToken } from "../../services/session/person-of-token.ts";
import { programName } from "../../services/session/program-name.ts";
import type { Session } from "../../services/session/session.ts";
import { fleetOf } from "../../services/session/store.ts";
import { CheckedFiles } from "../../services/workflows/workflows.ts";
import { createApp } from "./app.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import { RunCommands } from "./commands/run-commands.ts";
import { closeServer, httpServer, listening, portOf, requireToken } from "./http-server.ts";
import { ListFeed } from "./list-feed.ts";
import { HTTP_CLIENT } from "./reader.ts";
import { isLoopback, OurNames, Sessions } from "./security.ts";
import { Readers, type ServedRuns } from "./served-runs.ts";
import { StaticFiles } from "./static-files.ts";
import { PrintedOutputs } from "./views/printed/index.ts";
import { ShownRuns } from "./views/run-list.ts";
import { Keyframes } from "./views/run-past.ts";
import type { WatchedRun } from "./views/watched-run.ts";
import { WatchedRuns } from "./views/watched-runs.ts";
import { ShownFiles } from "./views/workflow-shown.ts";

export interface ListenOptions {
  readonly session: Session;
  /** Absolute: only workflow files below it can be started, and only their runs are shown. */
  readonly root: string;
  readonly port: number;
  readonly host: string;
  readonly readOnly: boolean;
  readonly publicUrl?: string;
  /** Made when none is given. */
  readonly token?: string;
  /** Where the page's files are; those of the package when left out. */
  readonly pageFolder?: string;
  /** The trusted project whose triggers are driven. */
  readonly drives?: Project;
  /** The workflow file that the page follows for its author: absolute, below the root. */
  readonly preview?: string;
  readonly defect?: (problem: unknown) => void;
  /** Called with a sentence for the user who started the server. */
  readonly said?: (sentence: string) => void;
}

export interface Listening {
  /** What a person opens: the token stands in its fragment, which no server is ever sent. */
  readonly url: string;
  readonly port: number;
  readonly runs: BackgroundRuns;
  readonly readers: Readers;
  /** Which triggers it drives, in a sentence; absent when it drives none. */
  readonly aboutTriggers: string | undefined;
  /** Stops runs, leaves those of triggers to other servers, ends streams, and closes. */
  close(): Promise<ClosedRuns>;
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const { root, host, publicUrl, defect = () => {} } = options;
  requireSafe(options);
  const configuredPage = publicUrl ?? options.session.page;
  /** Of what the server does by itself. */
  const own: Session & { page?: string } = { ...options.session, cwd: root, page: configuredPage };
  const session: typeof own = { ...own, reader: HTTP_CLIENT };
  const { people, homeNamedBy } = session.project ?? {};
  const stop = new AbortController();
  /** Triggers stop firing, while readers still get the ends of runs. */
  const retire = new AbortController();
  const runs = new BackgroundRuns();
  const watched = await WatchedRuns.open(session, root);
  const keyframes = new WeakMap<WatchedRun, Keyframes>();
  const printed = new PrintedOutputs();
  const readers = new Readers();
  measureThisProcess();
  const isForeign = homeNamedBy !== undefined && fleetOf(session) === undefined;
  if (isForeign && !options.readOnly)
    options.said?.(
      `${homeNamedBy} is not trusted, so runs in the home that it names continue only when a user resumes them: there are no deadlines and no reminders. \`${programName(own.env)} trust\` shows what would act, and asks.`,
    );
  let begin = (): void => {};
  const begins = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const duties =
    options.readOnly || isForeign
      ? undefined
      : await startBackgroundJobs({
          session: own,
          project: options.drives,
          isOurs: (file) => watched.isShown(file),
          runs,
          signal: retire.signal,
          begins,
          trouble: defect,
          said: options.said,
        });
  const aboutTriggers = await duties?.aboutTriggers?.(PROJECT_FILE);
  const list = new ShownRuns(watched, session);
  const serving: ServedRuns = {
    session,
    pageReader: own.reader,
    root,
    drives: options.drives,
    readOnly: options.readOnly,
    person: actingPerson(session),
    deliver: duties?.deliver,
    wakeTriggers: duties?.wake,
    scrape: async () => (await import("../../features/telemetry/metrics.ts")).scrape(watched.store),
    version: version(),
    runs,
    watched,
    list,
    listFeed: new ListFeed(list, stop.signal),
    commands: new RunCommands(watched, runs, session),
    triggerCommands: new TriggerCommands(watched, session, options.drives),
    keyframesOf(run) {
      const known = keyframes.get(run) ?? new Keyframes(run);
      keyframes.set(run, known);
      return known;
    },
    checkedFiles: new CheckedFiles(),
    shownFiles: new ShownFiles(session, options.preview),
    preview: options.preview,
    printed,
    readers,
    stopping: stop.signal,
  };
  const sessions = new Sessions(options.token, (token) => people && personOfToken(token, people));
  const files = new StaticFiles(options.pageFolder ?? join(packageFolder() ?? "", "dist", "page"));
  let names: OurNames | undefined;
  const app = createApp({
    serving,
    names: () => {
      names ??= new OurNames({ host, port: portOf(server), publicUrl });
      return names;
    },
    sessions,
    files,
    defect,
  });
  const server = httpServer(app);
  const port = await listening(server, options).catch(async (problem: unknown) => {
    retire.abort();
    stop.abort();
    begin();
    await duties?.done;
    await watched.close();
    throw problem;
  });
  const base = publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  // Gates say where they can be answered; the port is known only now.
  for (const one of [own, session]) one.page = configuredPage ?? base;
  begin();
  return {
    url: `${base.replace(/\/$/, "")}/#token=${sessions.token}`,
    port,
    runs,
    readers,
    aboutTriggers,
    async close() {
      retire.abort();
      const firings = fleetOf(session) === undefined ? watched.store.state.firings : undefined;
      const ended = await runs.close(async (runId) => {
        const firing = await firings?.get(runId);
        return firing?.status === "fired" || firing?.status === "waits";
      });
      stop.abort();
      // Open readers have a moment to receive the ends of the runs.
      await closeServer(server);
      await duties?.done;
      await printed.close();
      await watched.close();
      return ended;
    },
  };
}

function requireSafe({ host, token, publicUrl }: ListenOptions): void {
  if (publicUrl !== undefined && !/^https?:$/.test(URL.canParse(publicUrl) ? new URL(publicUrl).protocol : ""))
    throw refusal(`--public-url ${publicUrl} is no address that begins with http:// or https://`);
  // Also on this machine: other users of it, or a proxy before it, can guess as well.
  if (token !== undefined) requireToken(token);
  if (isLoopback(host)) return;
  if (!token)
    throw refusal(
      `others can reach ${host}, so a token of your own is needed: put one in the environment variable SEGNO_SERVE_TOKEN (an option would show in the list of processes)`,
    );
}
