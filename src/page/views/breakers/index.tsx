// Circuit breakers: which are open, since when, when they let a call through again, and closing one by hand.
import type { BreakerJson, BreakersJson } from "../../../server/contract/operations.ts";
import { apiPath, get, postJson } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Pane } from "../../parts/pane.tsx";
import { type State, StepState } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { agoText, durationText } from "../../parts/text.ts";
import { say } from "../../parts/toast.tsx";
import { isReadOnly, sayProblem } from "../../state/actions.ts";
import { serverNow } from "../../state/clock.ts";
import { useLoaded, useRepeated } from "../../state/loaded.ts";

const AGAIN_MS = 5000;
const STATES: Readonly<Record<BreakerJson["status"], State>> = {
  open: "failed",
  half_open: "retrying",
  closed: "completed",
};

export function BreakersView() {
  const loaded = useLoaded((signal) => get<BreakersJson>("/api/breakers", {}, signal), []);
  useRepeated(loaded.reload, AGAIN_MS);
  const reset = async ({ name, opened_at }: BreakerJson): Promise<void> => {
    try {
      await postJson<BreakersJson>(apiPath("breakers", name, "reset"), { opened_at });
      say(`${name} is closed.`);
    } catch (error) {
      sayProblem(error);
    }
    loaded.reload();
  };
  const columns: readonly Column<BreakerJson>[] = [
    {
      head: "State",
      cell: ({ status }) => <StepState state={STATES[status]} word={status.replace("_", " ")} />,
    },
    { head: "Name", cell: ({ name }) => <code>{name}</code> },
    { head: "Failures", is: "number", cell: ({ failures }) => failures },
    { head: "Opened", is: "fact", cell: openedText },
    { head: "Next probe", is: "fact", cell: probeText },
    {
      head: "Actions",
      is: "actions",
      cell: (breaker) =>
        breaker.status !== "closed" &&
        !isReadOnly() && <Button is="low" label="Reset" onClick={() => void reset(breaker)} />,
    },
  ];
  return (
    <main class="view">
      <div class="padded stack">
        <h1>Breakers</h1>
        <Pane loaded={loaded} what="The breakers">
          {({ breakers }) =>
            breakers.length === 0 ? (
              <Empty title="No breaker yet" command="segno breakers">
                A circuit breaker is made by the first call that one guards, in a workflow with <code>resilience:</code>
                . In a terminal:
              </Empty>
            ) : (
              <Table columns={columns} rows={breakers} nameOf={({ name }) => name} />
            )
          }
        </Pane>
      </div>
    </main>
  );
}

function probeText({ next_probe_at }: BreakerJson): string {
  if (next_probe_at === null) return "";
  const left = Date.parse(next_probe_at) - serverNow.value;
  return left <= 0 ? "with the next call" : `in ${durationText(Math.ceil(left / 1000) * 1000)}`;
}

const openedText = ({ opened_at, reset }: BreakerJson): string =>
  reset ? `reset by ${reset.by}, ${agoText(reset.at, serverNow.value)}` : agoText(opened_at, serverNow.value);
