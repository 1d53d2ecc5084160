// Who may answer a gate and until when, who the user is, and whether they may: shown before they choose, not after a
// refusal.
import type { GateJson } from "../../../server/contract/gates.ts";
import { about } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { serverNow } from "../../state/clock.ts";
import { dueText, rulesText, whoMayText } from "./gate-words.ts";

export function GateRules({ gate }: { readonly gate: GateJson }) {
  const { deadline, you } = gate;
  const said = rulesText(gate);
  return (
    <div class="gate-rules">
      {deadline !== null && (
        <p class="soft small">
          <time dateTime={deadline} title={deadline}>
            {dueText(deadline, serverNow.value)}
          </time>
        </p>
      )}
      {said !== "" && you.may_answer && <p class="soft small">{said}</p>}
      <p class={you.may_answer ? "soft small row" : "note row"} role={you.may_answer ? undefined : "note"}>
        <Icon name="person" />
        <span>
          You are signed in as <strong>{you.person}</strong>
          {you.may_answer ? " and may answer." : ` and may not answer: ${you.why_not}.${whoMayText(gate)}`}
          {!you.may_answer && about.value?.known_by === "machine" && ` ${OWN_TOKEN}`}
        </span>
      </p>
    </div>
  );
}

const OWN_TOKEN =
  "With only the token of this server you act as its user: open the page with #token= and a token of your own.";
