// What a run did, as scenarios speak of it.
import { askerName } from "../../events/asker-name.ts";
import type { VisitRecord } from "../../events/visits/visit-record.ts";

export interface ScenarioTrace {
  /** Every step of any type, each attempt, in order of time; steps of sub-workflows by their plain names. */
  readonly agents_executed: readonly string[];
  readonly scripts_executed: readonly string[];
  readonly gates_presented: readonly string[];
  /** By the plain name of the step, the last answer; by its name with item and child, its own. */
  readonly gates_resolved: Readonly<Record<string, string>>;
  /** How many reminders were sent for each gate or questions step that waited; by the same names. */
  readonly gates_reminded: Readonly<Record<string, number>>;
  /** `from -> to`. */
  readonly routes_taken: readonly string[];
  readonly errors_raised: readonly { readonly node: string; readonly kind: string }[];
}

/** What happened to visits of any step, in order of time. */
function inOrder<Entry>(
  visits: readonly VisitRecord[],
  entriesOf: (visit: VisitRecord) => readonly { readonly seq: number; readonly entry: Entry }[],
): Entry[] {
  const all = visits.flatMap(entriesOf);
  return all.sort((a, b) => a.seq - b.seq).map(({ entry }) => entry);
}

function remindersOf(visits: readonly VisitRecord[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { node, key, history } of visits) {
    if (!history || history.asked.length === 0) continue;
    for (const name of new Set([node, askerName(key)])) counts[name] = (counts[name] ?? 0) + history.reminders.length;
  }
  return counts;
}

export function scenarioTrace(visits: readonly VisitRecord[]): ScenarioTrace {
  const attempts = inOrder(visits, ({ node, attempts }) =>
    attempts.flatMap(({ began, type }) => (began ? { seq: began.seq, entry: { node, type } } : [])),
  );
  const answers = inOrder(visits, ({ node, key, history }) =>
    (history?.answers ?? []).flatMap(({ seq, option }) =>
      option === undefined
        ? []
        : [...new Set([node, askerName(key)])].map((name) => ({ seq, entry: [name, option] as const })),
    ),
  );
  return {
    agents_executed: attempts.map(({ node }) => node),
    scripts_executed: attempts.filter(({ type }) => type === "script").map(({ node }) => node),
    gates_presented: inOrder(visits, ({ node, history }) =>
      (history?.asked ?? []).map(({ seq }) => ({ seq, entry: node })),
    ),
    gates_resolved: Object.fromEntries(answers),
    gates_reminded: remindersOf(visits),
    routes_taken: inOrder(visits, ({ history }) =>
      (history?.routes ?? []).map(({ seq, route }) => ({ seq, entry: `${route.from_agent} -> ${route.to_agent}` })),
    ),
    errors_raised: inOrder(visits, ({ node, history }) =>
      (history?.errors ?? []).map(({ seq, error }) => ({ seq, entry: { node, kind: error.kind } })),
    ),
  };
}
