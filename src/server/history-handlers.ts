// What the addresses about recorded runs and evals do.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { confineFamily, confinePlace, confineRun } from "../services/access/roots.ts";
import { evalShown, evalsShown } from "../services/eval/evals-shown.ts";
import { backtest } from "../services/history/backtest.ts";
import { forecast } from "../services/history/forecast.ts";
import { recordScenario } from "../services/history/record.ts";
import type { ADDRESSES, AddressName } from "./contract/addresses.ts";
import { accepted, NotFound, refusedBy } from "./problems.ts";
import { type ServedRuns, serverTime } from "./served-runs.ts";

type HistoryAddress = "record" | "backtest" | "forecast" | "evals" | "eval";

/** The workflow file that is named, with all that it calls, is below the root. */
const fileIn = ({ segments, serving: { root, session } }: AddressCall<"backtest" | "forecast">): string =>
  confineFamily((segments["file"] ?? []).join("/"), [root], session).file;

export const HISTORY_HANDLERS: { readonly [Name in HistoryAddress]: HttpHandler<Name> } = {
  record: async ({ serving: { watched, session, root }, segments, body }) => {
    const run = await watched.idOf(segments["run"]?.[0] ?? "");
    await confineRun(run, [root], session);
    const answer = await recordScenario(session, {
      run,
      until: body.until,
      confine: (place) => void confinePlace(place, [root]),
    });
    const { file, passed, problems, notes, run_id } = answer;
    if (file === null) throw refusedBy(answer);
    const yaml = readFileSync(resolve(session.cwd, file), "utf8");
    return { run_id, file, yaml, passed, problems, notes };
  },

  backtest: async (asked) => {
    const { serving, query } = asked;
    const answer = await backtest(serving.session, { file: fileIn(asked), limit: query.runs });
    const { file, newest, counts, runs, groups } = accepted(answer);
    return { file, newest, counts, runs, groups };
  },
  forecast: async (asked) => {
    const { serving, query } = asked;
    const answer = await forecast(serving.session, { file: fileIn(asked), plays: query.plays });
    const { file, plays, history, shares, failures, seconds, cost_usd, costly, borrowed, what_if } = accepted(answer);
    return { file, plays, history, shares, failures, seconds, cost_usd, costly, borrowed, what_if };
  },

  evals: ({ serving }) => ({ evals: evalsShown(serving.session), server_time: serverTime() }),
  eval: ({ serving, segments }) => {
    const id = segments["eval"]?.[0] ?? "";
    const shown = evalShown(id, serving.session);
    if (!shown) throw new NotFound(`there is no eval ${id} of a workflow below ${serving.root}`);
    return shown;
  },
};

// One request to an address of the contract, read and checked: what its handler gets.

type Table = typeof ADDRESSES;
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type QueryOf<Name extends AddressName> = Table[Name] extends { readonly query: infer Query }
  ? Parsed<Query>
  : undefined;
type BodyOf<Name extends AddressName> = Table[Name] extends { readonly body: infer Body } ? Parsed<Body> : undefined;

export interface AddressCall<Name extends AddressName> {
  /** Decoded, by name; one that stands for several segments has them all. */
  readonly segments: Readonly<Record<string, readonly string[]>>;
  readonly query: QueryOf<Name>;
  readonly body: BodyOf<Name>;
  readonly serving: ServedRuns;
}

export type HttpHandler<Name extends AddressName> = (asked: AddressCall<Name>) => Promise<object> | object;
