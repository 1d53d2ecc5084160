// What policies said before the step ran.
import { Icon } from "../../../parts/icon.tsx";

export function Verdicts({ verdicts }: { readonly verdicts: readonly Readonly<Record<string, unknown>>[] }) {
  if (verdicts.length === 0) return null;
  return (
    <section class="part">
      <h3>Policies</h3>
      <ul class="stack-small">
        {verdicts.map((verdict, index) => {
          const isAllowed = verdict["allowed"] !== false && verdict["verdict"] !== "deny";
          return (
            <li class="row" key={index}>
              <span class={`status is-${isAllowed ? "completed" : "failed"}`}>
                <Icon name={isAllowed ? "completed" : "failed"} />
                {String(verdict["policy"] ?? verdict["name"] ?? "policy")}
              </span>
              <span class="soft">
                {String(verdict["reason"] ?? verdict["message"] ?? (isAllowed ? "allowed" : "denied"))}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
