// `segno serve`, and the pages of `segno run --web` and `segno graph --watch`. Nothing of HTTP is loaded before this.
import { once } from "node:events";
import { relative, resolve, sep } from "node:path";
import { leaveProcess } from "../../base/errors/leave-process.ts";
import { COMMAND_LINE } from "../../base/results/reader.ts";
import type { Head } from "../../base/results/result.ts";
import type { Project } from "../../services/project/read-project.ts";
import { withRefusals } from "../../services/refusals.ts";
import type { ClosedRuns } from "../../services/runs/background.ts";
import { homeOf } from "../../services/session/home.ts";
import { openInBrowser } from "../../services/session/open-in-browser.ts";
import type { Session } from "../../services/session/session.ts";
import { fleetOf } from "../../services/session/store.ts";
import { type Listening, listen } from "./listen.ts";

export { openDoor } from "./always-on.ts";
export { listen } from "./listen.ts";

/** What the command line was asked; the parts of it that are needed here. */
interface Asked {
  readonly session: Session;
  readonly drives: Project | undefined;
  flag(name: string): boolean;
  number(name: string): number | undefined;
  text(name: string): string | undefined;
}

interface Output {
  say(text: string): void;
  readonly stderr: { readonly isTTY?: boolean };
}

const PORT = 4747;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Serves until a signal comes. Gives the exit code, or the answer that refused. */
export async function serve(asked: Asked, output: Output): Promise<number | Head> {
  const { session } = asked;
  const { cwd, env } = session;
  const publicUrl = asked.text("public-url");
  const opened = await withRefusals(session, () =>
    listen({
      session,
      drives: asked.drives,
      root: resolve(cwd, asked.text("root") ?? "."),
      port: asked.number("port") ?? PORT,
      host: asked.text("host") ?? "127.0.0.1",
      readOnly: asked.flag("read-only"),
      publicUrl,
      token: env.SEGNO_SERVE_TOKEN || undefined,
      defect: defectTo(output, env),
      said: (sentence) => output.say(sentence),
    }),
  );
  if (!("url" in opened)) return opened;
  output.say(`Segno's page: ${shownAddress(opened.url, env, output)}`);
  if (opened.aboutTriggers !== undefined) output.say(opened.aboutTriggers);
  output.say(
    fleetOf(session) === undefined
      ? `Ctrl-C stops it; runs that it drives then stop as well, and can be resumed.${asked.drives?.triggers.length ? " Runs that triggers started are released: another server, or the next one, goes on with them." : ""}`
      : "Ctrl-C stops it; runs go on, since workers drive them.",
  );
  if (asked.flag("open")) openInBrowser(opened.url);
  return untilStopped(opened, session, output);
}

export interface PreviewOptions {
  /** The workflow file, and the folder that it is below: absolute. */
  readonly file: string;
  readonly root: string;
  /** Called once it listens. */
  readonly opened: (url: string) => void;
}

/** The page of one workflow file, which follows it until a signal comes. It starts nothing and changes nothing. */
export async function servePreview(asked: Asked, output: Output, options: PreviewOptions): Promise<number | Head> {
  const { session } = asked;
  const { root, file } = options;
  const listening = await withRefusals(session, () =>
    listen({
      session,
      root,
      preview: file,
      readOnly: true,
      host: "127.0.0.1",
      port: asked.number("port") ?? 0,
      defect: defectTo(output, session.env),
    }),
  );
  if (!("url" in listening)) return listening;
  const way = relative(root, file).split(sep).map(encodeURIComponent).join("/");
  const url = listening.url.replace("/#", `/workflows/${way}#`);
  options.opened(url);
  if (asked.flag("open")) openInBrowser(url);
  return untilStopped(listening, session, output);
}

/** A token of one's own is known to who set it; what is no terminal is a log, which others may read. */
function shownAddress(url: string, env: Session["env"], { stderr }: Output): string {
  if (!env.SEGNO_SERVE_TOKEN || stderr.isTTY) return url;
  return `${url.replace(/#token=.*$/, "")} (to sign in, add #token= and the token in SEGNO_SERVE_TOKEN, or a person's own)`;
}

async function untilStopped(listening: Listening, session: Session, output: Output): Promise<number> {
  let closing: Promise<ClosedRuns> | undefined;
  return new Promise<number>((done, failed) => {
    const interrupt = async (name: NodeJS.Signals): Promise<void> => {
      // `segno cancel` sends the same signal, and means one run by it.
      if (name === "SIGINT" && (await listening.runs.stopRequested(homeOf(session)))) return;
      if (closing) leaveProcess(130);
      if (listening.runs.size > 0) output.say("Stopping; Ctrl-C again leaves at once.");
      closing = listening.close();
      closing.then(({ stopped, left }) => {
        for (const signal of SIGNALS) process.off(signal, interrupt);
        if (left.length > 0)
          output.say(
            `Released ${counted(left)}, started by triggers: another server on the same home goes on with them, or the next that starts.`,
          );
        if (stopped.length > 0)
          output.say(
            `Stopped ${counted(stopped)}: \`${(session.reader ?? COMMAND_LINE).ask({ to: "resume", run: stopped[0] ?? "" })}\` goes on${stopped.length > 1 ? ", and likewise for the others" : ""}.`,
          );
        done(stopped.length > 0 ? 130 : 0);
      }, failed);
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
  });
}

const counted = (runs: readonly string[]): string =>
  runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs (${runs.join(", ")})`;

export interface WebOptions {
  readonly session: Session;
  readonly root: string;
  readonly keep: boolean;
  readonly say: (text: string) => void;
}

export interface WebPage {
  /** The address of a run, or of the list: with the token that lets one in. */
  addressOf(run: string | null): string;
  /** Whether anybody has opened it so far. */
  readonly wasOpened: boolean;
  /**
   * Resolves when the page is closed. If it was not opened yet, waits up to `graceMs` for that first. With `keep` it
   * resolves only when the signal aborts.
   */
  untilClosed(signal: AbortSignal, graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The page beside a run that the command line drives. */
export async function openPage({ session, root, keep, say }: WebOptions): Promise<WebPage> {
  const options = {
    session,
    root,
    host: "127.0.0.1",
    readOnly: false,
    token: session.env.SEGNO_SERVE_TOKEN || undefined,
    defect: defectTo({ say }, session.env),
    said: say,
  };
  // A server that is there already has the port that people know: then any other will do.
  const listening = await listen({ ...options, port: PORT }).catch(() => listen({ ...options, port: 0 }));
  return {
    addressOf: (run) =>
      run === null ? listening.url : listening.url.replace("/#", `/runs/${encodeURIComponent(run)}#`),
    get wasOpened() {
      return listening.readers.wereAny;
    },
    untilClosed: async (signal, graceMs) => {
      const { readers } = listening;
      if (keep) return aborted(signal);
      await readers.someoneCame(graceMs, signal);
      await Promise.race([readers.gone(), aborted(signal)]);
    },
    close: async () => void (await listening.close()),
  };
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

const defectTo =
  (output: Pick<Output, "say">, env: Session["env"]) =>
  (problem: unknown): void => {
    if (env.SEGNO_DEBUG === "1")
      output.say(problem instanceof Error ? (problem.stack ?? problem.message) : String(problem));
  };
