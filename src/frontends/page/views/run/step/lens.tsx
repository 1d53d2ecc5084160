// The error lens: what was raised, where it came from, every route that was read for it and why it matched or did not.
import type { ErrorLensJson, RouteReadJson, StepJson } from "../../../../server/contract/step.ts";
import { type State, StepState, TextLink } from "../../../parts/button.tsx";
import { ValueTree } from "../../../parts/json-tree.tsx";
import { Fold } from "../../../parts/pane.tsx";
import { chooseStep, selection } from "../../../state/selection.ts";
import { withoutTerminalCodes } from "../../../text.ts";

interface LensProps {
  readonly lens: ErrorLensJson;
  readonly yaml: StepJson["yaml"];
  /** Of a step of a for_each: the item that raised. */
  readonly item: string | null;
}

/** Details of more lines than this are folded at first. */
const SHORT = 12;
const linesOf = (value: unknown): number => JSON.stringify(value, null, 1).split("\n").length - 2;

export function ErrorLens({ lens, yaml, item }: LensProps) {
  const { error, trail, routes, unreadable } = lens;
  const hasDetails = Object.keys(error.details).length > 0;
  return (
    <section class="part column lens" aria-label="Error">
      <div class="lens-head column">
        <code class="kind">{error.kind}</code>
        <p>{withoutTerminalCodes(error.message)}</p>
      </div>
      {trail.length > 1 && (
        <ol class="trail" aria-label="Where it came from">
          {trail.map(({ workflow, node, path, item: raisedBy, line }) => (
            <li key={[...path, node].join("/")}>
              <TextLink go={() => chooseStep({ path, node }, { item: raisedBy })}>
                {workflow} · {node}
                {raisedBy !== null && ` [${raisedBy}]`}
                {line !== null && <span class="soft"> line {line}</span>}
              </TextLink>
            </li>
          ))}
        </ol>
      )}
      <div class="verdict">
        <Verdict lens={lens} item={item} />
      </div>
      {routes.length > 0 && (
        <table class="routes">
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {routes.map((route) => (
              <RouteRow route={route} file={yaml?.file ?? null} key={`${route.table} ${route.index}`} />
            ))}
          </tbody>
        </table>
      )}
      {unreadable && <p class="soft">Reading stopped there: {unreadable}</p>}
      {hasDetails && (
        <Fold title="Details" isOpen={linesOf(error.details) <= SHORT}>
          <ValueTree value={error.details} />
        </Fold>
      )}
      {error.cause && (
        <Fold
          title={
            <>
              Caused by <code class="kind">{error.cause.kind}</code>
            </>
          }
        >
          <p>{error.cause.message}</p>
        </Fold>
      )}
    </section>
  );
}

function RouteRow({ route, file }: { readonly route: RouteReadJson; readonly file: string | null }) {
  const { table, line, text, verdict, taken, why, saw } = route;
  return (
    <tr class={taken ? "taken" : undefined}>
      <td>
        <code>{text}</code>
        <div class="small soft">
          {table === "workflow" ? "error_routes of the workflow" : "routes of the step"}
          {line !== null && `, line ${line}`}
          {file && line !== null && <span class="only-heard"> of {file}</span>}
        </div>
        {saw && Object.keys(saw).length > 0 && (
          <dl class="saw">
            {Object.entries(saw).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </td>
      <td>
        <StepState state={taken ? "completed" : "pending"} icon={taken ? "completed" : "failed"} word={verdict} />
        {why && why !== verdict && <div class="small soft">{why}</div>}
      </td>
    </tr>
  );
}

function Verdict({ lens, item }: Pick<LensProps, "lens" | "item">) {
  const { action, to, by, recovered_by, is_recovered, letter, went_on } = lens;
  const state: State = action === "retry" ? "retrying" : is_recovered ? "recovered" : "failed";
  const isOnlyHanded = action === "to" && (recovered_by === null || !is_recovered);
  return (
    <p>
      <StepState state={state} word={isOnlyHanded ? "Handed to" : BECAME[action]} />
      {to !== null && (
        <>
          {" "}
          <TextLink go={() => chooseBeside(to, item)}>{to}</TextLink>
        </>
      )}
      {by !== null && <span class="soft"> by {WHOSE[by]}</span>}
      {is_recovered && recovered_by !== null && <span class="soft">; recovered by {recovered_by}</span>}
      {to !== null && !is_recovered && <span class="soft">; {to} did not get to its end</span>}
      {went_on !== null && <span class="soft">; the group {went_on} went on without it</span>}
      {letter !== null && (
        <>
          {" "}
          · <a href={`/letters/${encodeURIComponent(letter)}`}>its dead letter</a>
        </>
      )}
    </p>
  );
}

/** A step of the same file, for the same item. */
function chooseBeside(node: string, item: string | null): void {
  const { step } = selection.peek();
  chooseStep({ path: step?.path ?? [], node }, { item });
}

const WHOSE: Readonly<Record<NonNullable<ErrorLensJson["by"]>, string>> = {
  workflow: "an error route of the workflow",
  resilience: "the resilience policy",
  step: "a route of the step",
};

const BECAME: Readonly<Record<ErrorLensJson["action"], string>> = {
  to: "Handled: it went to",
  retry: "Tried again",
  halt: "Halted the run",
  propagate: "Handed to the parent workflow",
  escalate: "Escalated",
  dead_letter: "Kept as a dead letter",
  unhandled: "No route took it",
  open: "Routes are being read",
};
