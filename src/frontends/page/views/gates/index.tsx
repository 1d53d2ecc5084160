// Everything that waits for a person.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { GateJson, GatesJson } from "../../../server/contract/gates.ts";
import { Empty, Pane, View } from "../../parts/pane.tsx";
import { countGates } from "../../shell/header.tsx";
import { useFindable } from "../../shell/palette.tsx";
import { runPath } from "../../state/actions.ts";
import { query } from "../../state/address.ts";
import { useKeys } from "../../state/keys.ts";
import { useAnswer, useRepeatedWithRuns } from "../../state/loaded.ts";
import { GateCard } from "./card.tsx";
import { isBegun } from "./gate-words.ts";
import { type AnsweredGate, AnsweredNote, OvertakenGate } from "./overtaken.tsx";

const MOST_ANSWERED = 3;

export function GatesView() {
  const loaded = useAnswer<GatesJson>("/api/gates");
  useRepeatedWithRuns(loaded.reload);
  const only = query.value["run"];
  const answered = useSignal<readonly AnsweredGate[]>([]);
  const overtaken = useSignal<readonly GateJson[]>([]);
  const shown = useRef<readonly GateJson[]>([]);
  useSignalEffect(() => {
    const gates = loaded.value.value?.gates;
    if (!gates) return;
    // A question with a draft stays when it is answered elsewhere; one that is asked again counts as open.
    overtaken.value = [...overtaken.peek(), ...shown.current.filter(isBegun)].filter(
      ({ id }, index, all) => !has(gates, id) && all.findIndex((one) => one.id === id) === index,
    );
    shown.current = gates;
  });
  useKeys("gates", { next: () => focusCard(1), before: () => focusCard(-1) });
  useFindable(
    () =>
      (loaded.value.peek()?.gates ?? []).map((gate) => ({
        text: `${gate.workflow} ${gate.node_id}`,
        what: "gate",
        run: () => document.getElementById(gate.id)?.focus(),
      })),
    [loaded],
  );
  const card = (gate: GateJson) => (
    <GateCard
      gate={gate}
      key={gate.id}
      answered={(fate) => {
        if (fate.became === "taken") answered.value = [fate, ...answered.value].slice(0, MOST_ANSWERED);
        else if (fate.became === "late" && !has(overtaken.value, gate.id)) overtaken.value = [gate, ...overtaken.value];
        loaded.reload();
        countGates();
      }}
    />
  );
  return (
    <View title="Gates" isNarrow>
      <Pane loaded={loaded} what="The gates">
        {({ gates }) => {
          const waiting = gates.filter(
            ({ id }) => !answered.value.some((one) => one.gate.id === id) && !has(overtaken.value, id),
          );
          const own = waiting.filter((gate) => gate.run_id === only);
          const others = waiting.filter((gate) => gate.run_id !== only);
          return (
            <>
              {answered.value.map((one) => (
                <AnsweredNote answered={one} key={one.gate.id} />
              ))}
              {overtaken.value.map((gate) => (
                <OvertakenGate
                  gate={gate}
                  close={() => (overtaken.value = overtaken.value.filter(({ id }) => id !== gate.id))}
                  key={gate.id}
                />
              ))}
              {waiting.length === 0 && (
                <Empty title="No questions are waiting" command="segno gate list">
                  A run that comes to a <code>human_gate</code> or to <code>questions</code> waits here for an answer.
                  In a terminal:
                </Empty>
              )}
              {own.map(card)}
              {only && own.length === 0 && answered.value.length === 0 && (
                <p class="soft">
                  <a href={runPath(only)}>The run</a> asks nothing now.
                </p>
              )}
              {only && others.length > 0 && <h2 class="gates-others">Other runs wait, too</h2>}
              {others.map(card)}
            </>
          );
        }}
      </Pane>
    </View>
  );
}

const has = (gates: readonly GateJson[], wanted: string): boolean => gates.some(({ id }) => id === wanted);

function focusCard(by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".gate")];
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, here + by))]?.focus();
}
