// A value as a tree: small things at once, large ones when they are opened, and what the server left out when asked for.
import { useSignal } from "@preact/signals";
import type { BigValueJson } from "../../server/contract/values.ts";
import { isBig, wholeValue } from "../api/client.ts";
import { bytesText, plural } from "../text.ts";
import { withoutEscapes } from "./ansi.ts";
import { Button } from "./button.tsx";

const OPEN_UP_TO = 12;
const PAGE = 100;

interface JsonTreeProps {
  readonly value: unknown;
  readonly depth?: number;
  /** It was asked for as a whole: what looks like a long value in it is the author's own. */
  readonly isWhole?: boolean;
}

export const ValueTree = (props: JsonTreeProps) => (
  <div class="tree mono">
    <JsonTree {...props} />
  </div>
);

export function JsonTree({ value, depth = 0, isWhole = false }: JsonTreeProps) {
  if (!isWhole && isBig(value)) return <BigValue value={value} />;
  const inside = { depth, isWhole };
  if (Array.isArray(value))
    return <Branch entries={value.map((one, index) => [String(index), one])} marks="[]" {...inside} />;
  if (typeof value === "object" && value !== null)
    return <Branch entries={Object.entries(value)} marks="{}" {...inside} />;
  return <Leaf value={value} />;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string") {
    const text = withoutEscapes(value);
    return text.includes("\n") || text.length > 90 ? (
      <pre class="j-long">{text}</pre>
    ) : (
      <span class="j-text">{JSON.stringify(text)}</span>
    );
  }
  return <span class={value === null ? "j-null" : "j-value"}>{String(value)}</span>;
}

interface BranchProps {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly marks: "[]" | "{}";
  readonly depth: number;
  readonly isWhole: boolean;
}

function Branch({ entries, marks, depth, isWhole }: BranchProps) {
  const isOpen = useSignal(depth === 0 || entries.length <= OPEN_UP_TO);
  const shown = useSignal(PAGE);
  if (entries.length === 0) return <span class="j-null">{marks}</span>;
  const label = plural(entries.length, marks === "[]" ? "item" : "key");
  return (
    <details class="j-branch" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <span class="j-null">{label}</span>
      </summary>
      {isOpen.value && (
        <ul>
          {entries.slice(0, shown.value).map(([name, value]) => (
            <li key={name}>
              <span class="j-key">{name}</span>
              <JsonTree value={value} depth={depth + 1} isWhole={isWhole} />
            </li>
          ))}
          {entries.length > shown.value && (
            <li>
              <Button
                is="low"
                label={`${entries.length - shown.value} more`}
                onClick={() => (shown.value += PAGE * 5)}
              />
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function BigValue({ value }: { readonly value: BigValueJson }) {
  const whole = useSignal<unknown>(undefined);
  const problem = useSignal("");
  if (whole.value !== undefined) return <JsonTree value={whole.value} isWhole />;
  const ask = async (): Promise<void> => {
    try {
      whole.value = await wholeValue(value);
    } catch {
      problem.value = "It could not be fetched.";
    }
  };
  return (
    <span>
      <pre class="j-long">{value.preview}…</pre>
      <Button is="low" label={`Show all ${bytesText(value.bytes)}`} onClick={() => void ask()} /> {problem.value}
    </span>
  );
}
