// What was said to the model and by it: the prompt, its words, its reasoning, its tools, as they come.
import type { SaidJson } from "../../../../server/contract/step.ts";
import { JsonTree } from "../../../parts/json-tree.tsx";
import { Markdown } from "../../../parts/markdown.tsx";

interface ConversationProps {
  readonly said: readonly SaidJson[];
  readonly isLive: boolean;
}

export function ModelConversation({ said, isLive }: ConversationProps) {
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
