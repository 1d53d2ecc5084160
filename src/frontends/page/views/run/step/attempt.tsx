// One attempt: how it failed and what was done about it, what was said, what was printed, what came out.
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, ChangesJson, SaidJson, StepJson } from "../../../../server/contract/step.ts";
import { serverNow } from "../../../api/clock.ts";
import { StepState } from "../../../parts/button.tsx";
import { ValueTree } from "../../../parts/json-tree.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { Fold, Part } from "../../../parts/pane.tsx";
import { selection } from "../../../state/selection.ts";
import { clock, costText, countText, durationText, leftText } from "../../../text.ts";
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
        <Part head="h3" title="Output">
          <ValueTree value={attempt.output} />
        </Part>
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
    <section class="part column">
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
  const { nth, max, until, until_reset, delay_seconds, via } = retry;
  return (
    <p class="note row">
      <StepState
        state="retrying"
        word={until_reset ? "Waits for the limit to reset" : `Retry ${nth}${max === null ? "" : ` of ${max}`}`}
      />
      <span class="soft">
        {Date.parse(until) > serverNow.value
          ? `in ${leftText(until, serverNow.value)}`
          : `after ${durationText(delay_seconds * 1000)}`}
        {via && ` by way of ${via}`}
      </span>
    </p>
  );
}

function Verdicts({ verdicts }: { readonly verdicts: readonly PolicyVerdictJson[] }) {
  if (verdicts.length === 0) return null;
  return (
    <Part head="h3" title="Policies">
      <ul>
        {verdicts.map(verdictWords).map(({ name, state, said }, index) => (
          <li class="verdict" key={index}>
            <StepState state={state} word={name} />
            <span class={state === "failed" ? "" : "soft"}>{said}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What an agent changed in its folder: file by file, with the lines that came and went. */
function ChangedFiles({ changes }: { readonly changes: ChangesJson }) {
  const { files, added, removed, incomplete, more_files: more = 0 } = changes;
  if (files.length === 0) return null;
  return (
    <Part head="h3" title="Changed files">
      <table class="changes">
        <thead>
          <tr>
            {["File", "Change", "Added", "Removed"].map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
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
    </Part>
  );
}

/** Lines are not counted in large files and in what is no text. */
const lineText = (sign: string, lines: number | null): string => (lines === null ? "–" : `${sign}${countText(lines)}`);

/** What was said to the model and by it: the prompt, its words, its reasoning, its tools, as they come. */
function ModelConversation({ said, isLive }: { readonly said: readonly SaidJson[]; readonly isLive: boolean }) {
  // A script has no conversation, but the engine may have something to say about it.
  const isAllNotes = said.every(({ what }) => what === "note");
  return (
    <section class="part column">
      <h3>
        {isAllNotes ? "Notes" : "Conversation"}
        {isLive && <span class="soft"> · running</span>}
      </h3>
      <ol class="conversation column" aria-live={isLive ? "off" : undefined}>
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
        <Fold title="Prompt" isOpen={said.text.length < 1500}>
          <pre>{said.text}</pre>
        </Fold>
      );
    case "message":
      return <Markdown text={said.text} />;
    case "reasoning":
      return (
        <Fold title="Reasoning">
          <pre>{said.text}</pre>
        </Fold>
      );
    case "tool": {
      const word = said.failed ? " failed" : said.ended_at === null ? " running" : "";
      const title = (
        <>
          <code>{said.tool}</code>
          <span class={said.failed ? "kind" : "soft"}>{word}</span>
        </>
      );
      return (
        <Fold title={title}>
          <ValueTree value={said.arguments} />
          {said.result !== undefined && <ValueTree value={said.result} />}
        </Fold>
      );
    }
    case "note":
      return (
        <Fold title={<span class="soft">{said.type.replace(/^agent_/, "").replaceAll("_", " ")}</span>}>
          <ValueTree value={said.data} />
        </Fold>
      );
    default:
      return said satisfies never;
  }
}
