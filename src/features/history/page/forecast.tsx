// What the file as it is now would come to, drawn from its past runs: how it would end, and what that takes.

import { type State, StepState } from "../../../frontends/page/parts/button.tsx";
import { Pane, Part } from "../../../frontends/page/parts/pane.tsx";
import { useAnswer } from "../../../frontends/page/state/loaded.ts";
import { costText, durationText, percentText, plural } from "../../../frontends/page/text.ts";
import type { ForecastJson } from "../../../frontends/server/contract/history.ts";
import { filePath } from "./backtest.tsx";

export function Forecast({ file }: { readonly file: string }) {
  const loaded = useAnswer<ForecastJson>(filePath("forecast", file));
  return (
    <div class="scroll">
      <div class="padded stack">
        <Pane loaded={loaded} what="The forecast">
          {(answer) => <Pictured answer={answer} />}
        </Pane>
        <p class="soft">The same in a terminal, and how far off it would have been on the newer half of the runs:</p>
        <pre class="code">
          segno forecast {file}
          {"\n"}segno forecast {file} --check
        </pre>
      </div>
    </div>
  );
}

const ENDS: readonly (readonly [keyof ForecastJson["shares"], State, string])[] = [
  ["completed", "completed", "completes"],
  ["degraded", "recovered", "loses items"],
  ["failed", "failed", "fails"],
  ["waiting", "waiting", "waits for a person"],
  ["unknown", "pending", "not known"],
];

function Pictured({ answer }: { readonly answer: ForecastJson }) {
  const { plays, history, shares, failures, seconds, cost_usd, borrowed, what_if } = answer;
  return (
    <>
      <p class="soft">
        Played {plural(plays, "time")} offline, with answers, errors, times and costs drawn from{" "}
        {plural(history, "past run")}.
      </p>
      <Part label="How it would end" title="How it would end">
        {ENDS.filter(([end]) => shares[end] > 0).map(([end, state, word]) => (
          <Bar state={state} word={word} share={shares[end]} text={percentText(shares[end])} key={end} />
        ))}
      </Part>
      {Object.keys(failures).length > 0 && (
        <Part label="What it would fail with" title="What it would fail with">
          {Object.entries(failures)
            .sort(([, a], [, b]) => b - a)
            .map(([kind, share]) => (
              <Bar state="failed" word={kind} share={share} text={percentText(share)} key={kind} />
            ))}
        </Part>
      )}
      <Part label="Time and cost" title={cost_usd.p95 > 0 ? "Time and cost" : "Time"}>
        <Spread of={seconds} word="time" textOf={(value) => durationText(value * 1000)} />
        {cost_usd.p95 > 0 && <Spread of={cost_usd} word="cost" textOf={costText} />}
      </Part>
      {what_if.map(({ change, completed }) => (
        <p key={change}>
          With {change} {percentText(completed)} would complete.
        </p>
      ))}
      {borrowed.length > 0 && (
        <p class="soft">
          Without a history of their own, answered as other steps of their type: {borrowed.join(", ")}.
        </p>
      )}
    </>
  );
}

interface SpreadProps {
  readonly of: ForecastJson["seconds"];
  readonly word: string;
  readonly textOf: (value: number) => string;
}

/** The median against the 95th percentile: the longer bar is what one in twenty takes. */
function Spread({ of: { median, p95 }, word, textOf }: SpreadProps) {
  return (
    <>
      <Bar word={`${word}, median`} share={p95 > 0 ? median / p95 : 0} text={textOf(median)} />
      <Bar word={`${word}, 95 % within`} share={p95 > 0 ? 1 : 0} text={textOf(p95)} />
    </>
  );
}

interface BarProps {
  /** Absent: it is an amount, and no way to end. */
  readonly state?: State;
  readonly word: string;
  readonly share: number;
  readonly text: string;
}

const Bar = ({ state, word, share, text }: BarProps) => (
  <div class="share">
    {state ? <StepState state={state} word={word} /> : <span>{word}</span>}
    <svg class={`share-bar is-${state ?? "running"}`} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={share * 100} height="1" />
    </svg>
    <span class="number">{text}</span>
  </div>
);
