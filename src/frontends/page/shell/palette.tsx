// Find anything by typing a part of it: steps and kinds of the run, runs, workflows, actions, pages. Views add what they
// know while they are shown.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { endingWords } from "../../../base/errors/who-handles.ts";
import type { ErrorsJson } from "../../server/contract/letters.ts";
import type { RunRowJson, RunsJson } from "../../server/contract/runs.ts";
import type { WorkflowsJson } from "../../server/contract/workflows.ts";
import { get } from "../api/client.ts";
import { PAGES } from "../pages.ts";
import { Veil } from "../parts/dialog.tsx";
import { runPath, workflowPath } from "../state/actions.ts";
import { addressOf, go } from "../state/address.ts";
import { switchTheme } from "./header.tsx";

export function Palette({ close, showKeys }: { readonly close: () => void; readonly showKeys: () => void }) {
  const typed = useSignal("");
  const chosen = useSignal(0);
  const elsewhere = useSignal<readonly Findable[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    findEverywhere((found) => (elsewhere.value = [...elsewhere.peek(), ...found]), leaving.signal);
    return () => leaving.abort();
  }, []);
  const here = useMemo(
    (): readonly Findable[] => [
      ...allFindable(),
      ...PAGES.map(({ name, path, letter }) => ({ text: name, what: `page · g ${letter}`, run: () => go(path) })),
      { text: "Dark or light", what: "action · t", run: switchTheme },
      { text: "Keys", what: "action · ?", run: showKeys },
    ],
    [],
  );
  const all = useMemo(() => withoutTwins([...here, ...elsewhere.value]), [here, elsewhere.value]);
  const found = matching(all, typed.value);
  const take = (one: Findable | undefined): void => {
    if (!one) return;
    close();
    one.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + step));
    else if (event.key === "Enter") take(found[chosen.value]);
    else return;
    event.preventDefault();
  };
  return (
    <Veil label="Find" close={close} more="palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${chosen.value}` : undefined}
        aria-label="Find a step, a kind, a run, an action"
        placeholder="Find a step, a kind, a run, an action"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div class="list" role="listbox" id="found" aria-label="Found">
        {found.map((one, index) => (
          <div
            role="option"
            tabIndex={-1}
            id={`found-${index}`}
            key={`${one.what} ${one.text} ${index}`}
            aria-selected={index === chosen.value}
            onMouseMove={() => (chosen.value = index)}
            onClick={() => take(one)}
            onKeyDown={onKeyDown}
            ref={index === chosen.value ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
          >
            <span class="cut" title={one.text}>
              {one.text}
            </span>
            <span class="what">{one.what}</span>
          </div>
        ))}
        {found.length === 0 && <p class="soft">Nothing is called that.</p>}
      </div>
    </Veil>
  );
}

const MOST_RUNS = 200;

/**
 * What the palette finds wherever one is: all runs, workflows, kinds and the steps that failed. Asked when it opens.
 * Each part is found as soon as it is there; one that cannot be had leaves the others.
 */
function findEverywhere(add: (found: readonly Findable[]) => void, signal: AbortSignal): void {
  const ask = <Answer,>(path: string, given: Record<string, number>, read: (answer: Answer) => readonly Findable[]) =>
    get<Answer>(path, given, signal).then(
      (answer) => !signal.aborted && add(read(answer)),
      () => undefined,
    );
  void ask("/api/runs", { limit: MOST_RUNS }, runsIn);
  void ask("/api/workflows", {}, ({ workflows }: WorkflowsJson) => workflows.map(workflowFound));
  void ask("/api/errors", {}, stepsIn);
}

export const runFound = ({ run_id, workflow, status, kind }: RunRowJson): Findable => ({
  text: `${workflow} ${kind ?? status}`,
  what: `run · ${run_id}`,
  run: () => go(runPath(run_id)),
});

export const workflowFound = ({ file, workflow }: WorkflowsJson["workflows"][number]): Findable => ({
  text: workflow ?? file,
  what: `workflow · ${file}`,
  run: () => go(workflowPath(file)),
});

const runsIn = ({ runs, kinds }: RunsJson): readonly Findable[] => [
  ...runs.map(runFound),
  ...kinds.map((kind) => ({ text: kind, what: "kind · its runs", run: () => go(addressOf("/", { kind })) })),
];

const stepsIn = ({ groups }: ErrorsJson): readonly Findable[] =>
  groups.flatMap(({ step: text, kind, error_type, workflow, newest: { run: id, step, item } }) => {
    const what = `step of ${workflow} · ${kind ?? endingWords(error_type ?? "")}`;
    return text === null ? [] : [{ text, what, run: () => go(addressOf(runPath(id), { step, item })) }];
  });

interface Findable {
  readonly text: string;
  /** Step, kind, run, action … */
  readonly what: string;
  readonly run: () => void;
}

const sources = signal<readonly (() => readonly Findable[])[]>([]);

/** What can be found while the component is there; asked when the palette opens. */
export function useFindable(source: () => readonly Findable[], given: readonly unknown[]): void {
  useEffect(() => {
    sources.value = [...sources.peek(), source];
    return () => {
      sources.value = sources.peek().filter((other) => other !== source);
    };
  }, given);
}

const allFindable = (): readonly Findable[] =>
  sources
    .peek()
    .toReversed()
    .flatMap((source) => source());

/** What is found twice, by the view and everywhere, is one thing. */
const withoutTwins = (all: readonly Findable[]): readonly Findable[] =>
  [...new Map(all.toReversed().map((one) => [`${one.what}|${one.text}`, one])).values()].toReversed();

/** Those whose letters contain the words' letters in order, the closest first. */
function matching(all: readonly Findable[], typed: string, most = 40): readonly Findable[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all.slice(0, most);
  const scored = all.flatMap((one) => {
    const scores = words.map((word) => scoreOf(`${one.text} ${one.what}`.toLowerCase(), word));
    return scores.includes(null) ? [] : [{ one, score: scores.reduce((sum: number, score) => sum + (score ?? 0), 0) }];
  });
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ one }) => one);
}

/** Small is close; null: it is not there. */
function scoreOf(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at !== -1) return at === 0 || /\W|_/.test(text[at - 1] ?? "") ? at / 100 : 1 + at / 100;
  let [from, gaps] = [0, 0];
  for (const letter of word) {
    const found = text.indexOf(letter, from);
    if (found === -1) return null;
    gaps += found - from;
    from = found + 1;
  }
  return 10 + gaps;
}
