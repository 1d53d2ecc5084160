// What policies said before the step ran.
import { Icon } from "../../../parts/icon.tsx";
import { type PolicyVerdictJson, verdictWords } from "./verdict-words.ts";

export function Verdicts({ verdicts }: { readonly verdicts: readonly PolicyVerdictJson[] }) {
  if (verdicts.length === 0) return null;
  return (
    <section class="part">
      <h3>Policies</h3>
      <ul>
        {verdicts.map(verdictWords).map(({ name, state, said }, index) => (
          <li class="verdict" key={index}>
            <span class={`status is-${state}`}>
              <Icon name={state} />
              {name}
            </span>
            <span class={state === "failed" ? "" : "soft"}>{said}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
