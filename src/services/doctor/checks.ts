// What the doctor looks at beyond this machine: the fleet of `--on`, whether its runs are sealed with a key that is here, and
// what one workflow file needs: that it loads, its providers, MCP servers that start.
import { resolve } from "node:path";
import { type CellAddress, isOfCells } from "../../base/redact/postgres-address.ts";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { describedServers, type LoadedWorkflow, stepsOf } from "../../language/loaded.ts";
import { validateWorkflow } from "../../language/validate.ts";
import type { ProviderSettings } from "../../providers/provider.ts";
import { serverProcesses } from "../../steps/outside.ts";
import type { McpServer } from "../../steps/schema/provider.ts";
import type { Fleet } from "../../storage/fleet.ts";
import type { RunStore } from "../../storage/store.ts";
import { knownFor } from "../project/people-of-run.ts";
import { whyNoWorkerTakesOne } from "../reading/queued-run.ts";
import { filesOf, shownPath } from "../session/files.ts";
import { programName } from "../session/program-name.ts";
import type { Session } from "../session/session.ts";
import { cellsOfFleet, fleetOf, fleetTables, storeFor } from "../session/store.ts";

const START_MS = 20_000;

export function loadForDoctor(
  file: string,
  session: Session,
): { readonly check: Check; readonly workflow?: LoadedWorkflow } {
  const { cwd, reader = COMMAND_LINE } = session;
  const path = resolve(cwd, file);
  const { workflow, findings } = validateWorkflow(path, filesOf(session), knownFor(path, session));
  const errors = findings.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!workflow || first) {
    const where = first
      ? `${shownPath(first.location.file, cwd)}:${first.location.line}: ${first.message}`
      : "it cannot be read";
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more: ${reader.ask({ to: "validate", file })})` : "";
    return { check: broken("file", `${where}${more}`) };
  }
  return { check: good("file", `${shownPath(path, cwd)} is valid`), workflow };
}

export function providersOf(family: readonly LoadedWorkflow[]): ReadonlyMap<string, ProviderSettings> {
  const needed = new Map<string, ProviderSettings>();
  for (const { definition } of family) {
    const { provider } = definition.workflow.runtime;
    for (const step of stepsOf(definition)) {
      if (step.type !== "agent") continue;
      const asked = step.provider ?? provider;
      needed.set(asked.name, asked as ProviderSettings);
    }
  }
  return needed;
}

const whatItIs = (config: McpServer): string =>
  "command" in config && config.command !== undefined
    ? [config.command, ...(config.args ?? [])].join(" ")
    : String("url" in config ? config.url : "");

/** Starts what the file names, which may be any program: only when that was asked for, and after it was said. */
export async function checkServers(
  family: readonly LoadedWorkflow[],
  { env, reader = COMMAND_LINE }: Session,
  { start = false, starting }: { readonly start?: boolean; readonly starting?: (text: string) => void },
): Promise<readonly Check[]> {
  const servers = family.flatMap((workflow) =>
    describedServers(workflow).map(([name, config]) => ({ name, config, cwd: workflow.dir })),
  );
  if (servers.length === 0) return [];
  if (!start)
    return servers.map(({ name, config }) => {
      const starts = `${reader.ask({ to: "start servers" }) ?? "a person"} starts it (${whatItIs(config)})`;
      return notReady(`mcp.${name}`, `not tried: ${starts} and asks for its tools`);
    });
  const all = servers.map(({ name, config }) => `${name} (${whatItIs(config)})`).join(", ");
  starting?.(`Starting the MCP servers of the file, and ending them again: ${all}`);
  const { createMcpPool } = await import("../../providers/index.ts");
  const processes = await serverProcesses();
  return Promise.all(
    servers.map(async ({ name, config, cwd }): Promise<Check> => {
      const pool = createMcpPool({ [name]: config }, env, { cwd, processes });
      try {
        const listed = await pool.listTools(AbortSignal.timeout(START_MS));
        if (!listed.ok) return broken(`mcp.${name}`, listed.error.message);
        const { length } = listed.tools;
        return good(`mcp.${name}`, `it starts and has ${length} ${length === 1 ? "tool" : "tools"}`);
      } finally {
        await pool.close();
      }
    }),
  );
}

/** Nothing is made by who only looks. */
const WITHOUT_TABLES = {
  none: "can be reached, and has no tables of Segno yet: the first placed run or started worker creates them",
  older:
    "can be reached, and has the tables of an older Segno: the next use with this one, such as starting a worker, updates them",
} as const;

/** Nothing when runs are kept on this machine; of a fleet that is made of cells, those of each. */
export async function checkFleet(session: Session): Promise<readonly Check[]> {
  const address = fleetOf(session);
  if (address === undefined || !isOfCells(address)) return checkDatabase(session);
  let cells: readonly CellAddress[];
  try {
    cells = (await cellsOfFleet()).cellsOf(address);
  } catch (problem) {
    return [broken("fleet.cells", problemText(problem))];
  }
  const checks = await Promise.all(
    cells.map(async ({ name, url, isDraining }) => {
      const own = await checkDatabase({ ...session, fleet: url });
      const named = own.map((check) => ({ ...check, name: check.name.replace("fleet.", `fleet.${name}.`) }));
      return isDraining ? [...named, good(`fleet.${name}.draining`, "it gets no new runs")] : named;
    }),
  );
  return checks.flat();
}

async function checkDatabase(session: Session): Promise<readonly Check[]> {
  let store: RunStore | undefined;
  try {
    const url = fleetOf(session);
    const tables = url === undefined ? "up to date" : await fleetTables(url);
    if (tables !== "up to date") return [notReady("fleet.database", WITHOUT_TABLES[tables])];
    store = await storeFor(session);
    if (!store.fleet) return [];
    const workers = await checkWorkers(store, store.fleet, session);
    return [
      good("fleet.database", "can be reached, and has the tables of this Segno"),
      workers,
      ...[...(store.leftOut ?? [])].map((text) => broken("fleet.rows", text)),
      await checkSeal(store.fleet),
    ];
  } catch (problem) {
    return [broken("fleet.database", problemText(problem))];
  } finally {
    await store?.close();
  }
}

async function checkWorkers(store: RunStore, fleet: Fleet, { env }: Session): Promise<Check> {
  const [workers, { waiting, oldestMs }] = [await fleet.workers(), await fleet.queue()];
  const name = "fleet.workers";
  const waits =
    waiting === 0
      ? "no run waits for one"
      : `${waiting} ${waiting === 1 ? "run waits" : "runs wait"}, the oldest for ${Math.round((oldestMs ?? 0) / 1000)} s`;
  if (workers.length === 0)
    return broken(name, `none is there, and ${waits}. Start \`segno worker\` with this address`);
  const there = `${workers.length} ${workers.length === 1 ? "is" : "are"} there; ${waits}`;
  const why = waiting === 0 ? undefined : await whyNoWorkerTakesOne(store);
  return why === undefined
    ? good(name, there)
    : broken(name, `${there}: ${why.short}. \`${programName(env)} runs --status queued\` lists them`);
}

// What a fleet's runs are sealed with, what is here, and whether the two fit: a variable that is set says nothing of a fleet
// that does not use it.

const NAME = "fleet.seal";

const checkSeal = async (fleet: Fleet): Promise<Check> =>
  fleet.sealedWith === null ? withoutKey(await sealsOf(fleet)) : withKey(await sealsOf(fleet), fleet.sealedWith);

type Seals = Awaited<ReturnType<typeof sealsOf>>;

const sealsOf = async (fleet: Fleet) => ({
  fleet,
  /** How many runs need each key. */
  inUse: await fleet.keysInUse(),
  inClear: await fleet.runsInClear(),
  /** Of each worker that is there and says it: the keys it reads with. */
  workers: (await fleet.workers()).flatMap(({ keys }) => (keys ? [keys] : [])),
  takesFromHere: await fleet.takesFromHere(),
});

const runs = (count: number, one: string, many: string): string =>
  count === 0 ? `no run ${one}` : count === 1 ? `1 run ${one}` : `${count} runs ${many}`;

function withoutKey({ inUse, inClear, workers, takesFromHere }: Seals): Check {
  const sealed = [...inUse].map(([key, count]) => `${runs(count, "is", "are")} sealed with the key ${key}`);
  const areSealing = workers.some((keys) => keys.length > 0);
  if (takesFromHere && sealed.length === 0 && !areSealing)
    return notReady(
      NAME,
      `SEGNO_SEAL_KEY is not set: what runs record stands in the database in clear (${runs(inClear, "does", "do")}), and runs with secret inputs are refused`,
    );
  const there = [
    ...sealed,
    runs(inClear, "is in clear", "are in clear"),
    ...(areSealing
      ? [`${workers.filter((keys) => keys.length > 0).length} of ${workers.length} workers have a key`]
      : []),
  ].join("; ");
  const message = `SEGNO_SEAL_KEY is not set here, and what is sealed cannot be read: ${there}`;
  return takesFromHere
    ? notReady(NAME, message)
    : broken(NAME, `${message}. Nothing can be placed from here. Set it to the key that the workers have`);
}

function withKey({ fleet, inUse, inClear, workers, takesFromHere }: Seals, own: string): Check {
  const { keysHere } = fleet;
  const others = [...new Set([...keysHere, ...inUse.keys()])].filter((key) => key !== own);
  const isMissing = others.some((key) => !keysHere.includes(key));
  const having = workers.filter((keys) => keys.includes(own)).length;
  const message = [
    `${runs(inUse.get(own) ?? 0, "is", "are")} sealed with the SEGNO_SEAL_KEY that is here (key ${own})`,
    // While keys are changed: until when the old one has to stay.
    ...others.map((key) => {
      const place = keysHere.includes(key) ? "behind it" : "not there";
      return `${runs(inUse.get(key) ?? 0, "needs", "need")} the key ${key}, which is ${place}`;
    }),
    ...(inClear === 0 ? [] : [`${runs(inClear, "is", "are")} in clear and cannot be read with a key`]),
    ...(workers.length === 0 ? [] : [`${having} of ${workers.length} workers ${having === 1 ? "has" : "have"} it`]),
  ].join("; ");
  if (!takesFromHere)
    return broken(
      NAME,
      `${message}. Nothing can be placed from here: ${
        others.some((key) => inUse.has(key))
          ? "neither its runs nor its workers know a key that is here. Set one that they have; a new one goes before it, with a comma between"
          : "this fleet has no key, and all that it records is in clear. Leave SEGNO_SEAL_KEY unset, or give the fleet this key first"
      }`,
    );
  if (workers.length > 0 && having === 0)
    return notReady(NAME, `${message}: what is placed from here waits for one that has`);
  return isMissing ? notReady(NAME, message) : good(NAME, message);
}

export interface Check {
  readonly name: string;
  /** False when something is broken: it would keep runs from working. */
  readonly ok: boolean;
  readonly message: string;
  /** False: it could not be used, and nothing that was asked about needs it. */
  readonly ready?: boolean;
}

export const good = (name: string, message: string): Check => ({ name, ok: true, message });
export const broken = (name: string, message: string): Check => ({ name, ok: false, message });
export const notReady = (name: string, message: string): Check => ({ ...good(name, message), ready: false });

export const problemText = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
