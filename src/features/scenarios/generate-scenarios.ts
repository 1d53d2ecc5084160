// `segno test --generate`: writes a scenario for each error route that none takes yet, tries it, and keeps it only as
// passing if it takes the route; where no way was found the skeleton says what is in the way.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { RunEvent } from "../../base/events/registry.ts";
import { type Head, head } from "../../base/results/index.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { orRefused } from "../../services/refusals.ts";
import { shownPath } from "../../services/session/files.ts";
import type { Session } from "../../services/session/session.ts";
import { validWorkflow } from "../../services/workflows/valid-workflow.ts";
import { Coverage, type Untaken } from "./coverage.ts";
import { discoverScenarios } from "./file.ts";
import { candidatesFor, routeTitle, scenarioText } from "./generate/candidates.ts";
import { runScenario } from "./run-scenario.ts";

export interface GenerateRequest {
  readonly file: string;
  /** Where scenarios are looked for, and the first of them where new ones go; `tests` beside the file when empty. */
  readonly paths: readonly string[];
}

export interface Generated {
  readonly file: string;
  readonly route: string;
  /** Of a scenario that is only a beginning: what is in the way. */
  readonly skip?: string;
}

export interface GenerateAnswer extends Head {
  readonly generated: readonly Generated[];
  readonly skipped: number;
  /** Beginnings that were written before and are still skipped: their routes get no second one. */
  readonly unfinished: readonly Generated[];
}

export const generateScenarios = (session: Session, request: GenerateRequest): Promise<GenerateAnswer> =>
  orRefused(session, { generated: [], skipped: 0, unfinished: [] }, () => generate(session, request));

async function generate(session: Session, request: GenerateRequest): Promise<GenerateAnswer> {
  const { cwd } = session;
  const path = resolve(cwd, request.file);
  const workflow = validWorkflow(path, session, { asChild: true });
  const folder = request.paths[0] === undefined ? join(dirname(path), "tests") : resolve(cwd, request.paths[0]);
  const checked = new Map([[path, workflow]]);
  const { coverage, begun } = await covered(workflow, existsSync(folder) ? folder : undefined, session, checked);
  mkdirSync(folder, { recursive: true });
  const generated: Generated[] = [];
  const unfinished: Generated[] = [];
  for (const untaken of coverage.of(workflow).filter(({ what }) => what === "error route")) {
    const route = `${untaken.node}: ${untaken.route ?? ""}`;
    const left = begun.get(withoutLine(routeTitle(untaken)));
    if (left) {
      unfinished.push({ ...left, route });
      continue;
    }
    const file = freeName(folder, untaken);
    const skip = await write(file, workflow, untaken, session, checked);
    generated.push({ file: shownPath(file, cwd), route, ...(skip === undefined ? {} : { skip }) });
  }
  return { ...head(0), generated, skipped: generated.filter(({ skip }) => skip !== undefined).length, unfinished };
}

interface Covered {
  readonly coverage: Coverage;
  /** Skipped scenarios of this workflow, by the route that their title names. */
  readonly begun: ReadonlyMap<string, Omit<Generated, "route">>;
}

async function covered(
  workflow: LoadedWorkflow,
  folder: string | undefined,
  session: Session,
  checked: Map<string, LoadedWorkflow>,
): Promise<Covered> {
  const coverage = new Coverage();
  const begun = new Map<string, Omit<Generated, "route">>();
  const shown = shownPath(workflow.file, session.cwd);
  coverage.add(workflow, []);
  for (const file of folder ? discoverScenarios([folder], session.cwd) : []) {
    const outcome = await runScenario(file, session, { checked });
    if (outcome.workflow?.file === workflow.file) coverage.add(workflow, outcome.events);
    const { skipped: skip, workflow: about, file: path } = outcome.report;
    if (skip !== undefined && about === shown)
      begun.set(withoutLine(readFileSync(file, "utf8").split("\n", 1)[0] ?? ""), { file: path, skip });
  }
  return { coverage, begun };
}

/** One that takes the route and ends well; else one that takes it and says that it fails; else the last, skipped. */
async function write(
  file: string,
  workflow: LoadedWorkflow,
  route: Untaken,
  session: Session,
  checked: Map<string, LoadedWorkflow>,
): Promise<string | undefined> {
  let blocked = "no way to it was found";
  let last: Scenario = {};
  let failing: Scenario | undefined;
  for (const candidate of candidatesFor(workflow, route)) {
    if ("blocked" in candidate) {
      blocked = candidate.blocked;
      continue;
    }
    last = candidate.scenario;
    save(file, workflow, route, last);
    const { events, report, status } = await runScenario(file, session, { checked });
    if (!report.passed || !takes(workflow, route, events)) {
      blocked = report.problems[0] ?? `the run takes another way at ${route.node}`;
      continue;
    }
    const expecting = { ...last, expected_trace: { ...(last.expected_trace as object), status } };
    if (status !== "failed" || endsTheRun(route)) {
      save(file, workflow, route, expecting);
      return undefined;
    }
    failing ??= expecting;
  }
  save(file, workflow, route, failing ?? { skip: blocked, ...last });
  return failing ? undefined : blocked;
}

type Scenario = Readonly<Record<string, unknown>>;

const endsTheRun = ({ route = "" }: Untaken): boolean => /\b(halt|propagate)$/.test(route);

function takes(workflow: LoadedWorkflow, { node, index }: Untaken, events: readonly RunEvent[]): boolean {
  const coverage = new Coverage();
  coverage.add(workflow, events);
  return !coverage.of(workflow).some((one) => one.what === "error route" && one.index === index && one.node === node);
}

/** The same route, wherever the file has it now. */
const withoutLine = (title: string): string => title.replace(/ at line \d+:/, ":").trimEnd();

const save = (file: string, workflow: LoadedWorkflow, route: Untaken, scenario: Scenario): void =>
  writeFileSync(file, scenarioText(route, relative(dirname(file), workflow.file), scenario));

function freeName(folder: string, { node, route }: Untaken): string {
  const words = `${node}-${route ?? ""}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  for (let number = 1; ; number++) {
    const file = join(folder, `${words}${number === 1 ? "" : `-${number}`}.scenario.yaml`);
    if (!existsSync(file)) return file;
  }
}
