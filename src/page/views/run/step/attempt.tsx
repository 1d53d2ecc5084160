// One attempt: how it failed and what was done about it, what was said, what was printed, what came out.
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, ChangesJson, SaidJson, StepJson } from "../../../../server/contract/step.ts";
import { Icon } from "../../../parts/button.tsx";
import { JsonTree } from "../../../parts/json-tree.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { clock, costText, countText, durationText } from "../../../parts/text.ts";
import { serverNow } from "../../../state/clock.ts";
import { selection } from "../../../state/selection.ts";
import { ErrorLens } from "./lens.tsx";
import { ProcessOutput } from "./printed.tsx";
import { type PolicyVerdictJson, verdictWords } from "./verdict-words.ts";

interface AttemptProps {
  readonly attempt: AttemptJson;
  readonly known: StepJson;
  readonly about: RunSnapshotJson;
}

export function AttemptView({ attempt, known, about }: AttemptProps) {
  const { lens, said, retry, verdicts, status } = attempt;
  return (
    <>
      <AttemptFacts attempt={attempt} />
      {lens && <ErrorLens lens={lens} yaml={known.yaml} item={known.visit?.item_key ?? null} />}
      {retry && <RetryWait retry={retry} />}
      <Verdicts verdicts={verdicts} />
      {said.length > 0 && <ModelConversation said={said} isLive={status === "running"} />}
      <ProcessOutput attempt={attempt} run={about.run_id} visit={known.visit?.key ?? null} />
      {attempt.changes && <ChangedFiles changes={attempt.changes} />}
      {"output" in attempt && attempt.output !== undefined && (
        <section class="part">
          <h3>Output</h3>
          <div class="tree mono">
            <JsonTree value={attempt.output} />
          </div>
        </section>
      )}
    </>
  );
}

function AttemptFacts({ attempt }: { readonly attempt: AttemptJson }) {
  const { began_at, took_ms, tokens, cost_usd, models, exit_code, command, drive, attempt: number } = attempt;
  // In a replay what is shown is past, and no clock runs.
  const isRunning = attempt.status === "running" && began_at !== null && selection.value.at === null;
  const facts: readonly (readonly [string, string])[] = [
    ["began", began_at ? clock(began_at) : ""],
    ["took", durationText(took_ms)],
    ["runs for", isRunning ? durationText(Math.max(0, serverNow.value - Date.parse(began_at))) : ""],
    ["attempt", number > 1 ? String(number) : ""],
    ["drive", drive > 1 ? String(drive) : ""],
    ["exit code", exit_code === null ? "" : String(exit_code)],
    ["model", models.join(", ")],
    ["tokens", tokens ? `${countText(tokens.input)} in, ${countText(tokens.output)} out` : ""],
    ["cost", costText(cost_usd)],
  ];
  return (
    <section class="part">
      <dl class="facts-list">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {command && <pre class="code">{command}</pre>}
    </section>
  );
}

/** The wait before the next attempt, counted down by the server's clock. */
function RetryWait({ retry }: { readonly retry: NonNullable<AttemptJson["retry"]> }) {
  const left = Date.parse(retry.until) - serverNow.value;
  const { nth, max, until_reset, delay_seconds, via } = retry;
  return (
    <p class="note row">
      <span class="status is-retrying">
        <Icon name="retrying" />{" "}
        {until_reset ? "Waits for the limit to reset" : `Retry ${nth}${max === null ? "" : ` of ${max}`}`}
      </span>
      <span class="soft">
        {left > 0 ? `in ${durationText(Math.ceil(left / 1000) * 1000)}` : `after ${durationText(delay_seconds * 1000)}`}
        {via && ` by way of ${via}`}
      </span>
    </p>
  );
}

/** What policies said before the step ran. */
function Verdicts({ verdicts }: { readonly verdicts: readonly PolicyVerdictJson[] }) {
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

/** What an agent changed in its folder: file by file, with the lines that came and went. */
function ChangedFiles({ changes }: { readonly changes: ChangesJson }) {
  const { files, added, removed, incomplete, more_files: more = 0 } = changes;
  if (files.length === 0) return null;
  return (
    <section class="part">
      <h3>Changed files</h3>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Change</th>
            <th scope="col">Added</th>
            <th scope="col">Removed</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ path, change, ...lines }) => (
            <tr key={path}>
              <td>
                <code>{path}</code>
              </td>
              <td>{change}</td>
              <td>{lineText("+", lines.added)}</td>
              <td>{lineText("−", lines.removed)}</td>
            </tr>
          ))}
        </tbody>
        {files.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">{countText(files.length + more)} files</th>
              <td />
              <td>{lineText("+", added)}</td>
              <td>{lineText("−", removed)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {more > 0 && <p class="small soft">The first {files.length} are shown.</p>}
      {incomplete && <p class="small soft">There were more files than are looked at: the list is not complete.</p>}
    </section>
  );
}

/** Lines are not counted in large files and in what is no text. */
const lineText = (sign: string, lines: number | null): string => (lines === null ? "–" : `${sign}${countText(lines)}`);

/** What was said to the model and by it: the prompt, its words, its reasoning, its tools, as they come. */
function ModelConversation({ said, isLive }: { readonly said: readonly SaidJson[]; readonly isLive: boolean }) {
  // A script has no conversation, but the engine may have something to say about it.
  const isAllNotes = said.every(({ what }) => what === "note");
  return (
    <section class="part">
      <h3>
        {isAllNotes ? "Notes" : "Conversation"}
        {isLive && <span class="soft"> · running</span>}
      </h3>
      <ol class="conversation" aria-live={isLive ? "off" : undefined}>
        {said.map((one) => (
          <li class={`said said-${one.what}`} key={`${one.what} ${one.seq}`}>
            <Said said={one} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Said({ said }: { readonly said: SaidJson }) {
  switch (said.what) {
    case "prompt":
      return (
        <details class="fold" open={said.text.length < 1500}>
          <summary>Prompt</summary>
          <pre>{said.text}</pre>
        </details>
      );
    case "message":
      return <Markdown text={said.text} />;
    case "reasoning":
      return (
        <details class="fold">
          <summary>Reasoning</summary>
          <pre>{said.text}</pre>
        </details>
      );
    case "tool":
      return (
        <details class="fold">
          <summary>
            <code>{said.tool}</code>
            <span class={said.failed ? "kind" : "soft"}>
              {said.failed ? " failed" : said.ended_at === null ? " running" : ""}
            </span>
          </summary>
          <div class="tree mono">
            <JsonTree value={said.arguments} />
          </div>
          {said.result !== undefined && (
            <div class="tree mono">
              <JsonTree value={said.result} />
            </div>
          )}
        </details>
      );
    case "note":
      return (
        <details class="fold">
          <summary class="soft">{said.type.replace(/^agent_/, "").replaceAll("_", " ")}</summary>
          <div class="tree mono">
            <JsonTree value={said.data} />
          </div>
        </details>
      );
    default:
      return said satisfies never;
  }
}
