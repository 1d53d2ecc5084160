// Fitting stored outputs into `context.max_tokens`, as Conductor does it: by dropping, by cutting texts, or by a summary
// that is made without a model.

export type Trim = "drop_oldest" | "truncate" | "summarize";

interface Sized {
  readonly node: string;
  readonly view: NodeView;
  readonly tokens: number;
}

interface Trimmed {
  readonly dropped: readonly string[];
  readonly replaced: ReadonlyMap<string, NodeView>;
}

/** Four characters of JSON are about one token. */
export const estimateTokens = (value: unknown): number => Math.ceil((JSON.stringify(value)?.length ?? 0) / 4);

export function trimOldest(sizes: readonly Sized[], maxTokens: number, strategy: Trim): Trimmed {
  let total = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= maxTokens) return { dropped: [], replaced: new Map() };
  switch (strategy) {
    case "truncate": {
      const replaced = new Map<string, NodeView>();
      for (const { node, view, tokens } of sizes) {
        if (total <= maxTokens) break;
        const cut = truncated(view) as NodeView;
        replaced.set(node, cut);
        total -= tokens - estimateTokens(cut);
      }
      return { dropped: [], replaced };
    }
    case "summarize": {
      // Of a single output there is no older half: the newest stays, as it does when the oldest are dropped.
      const older = sizes.slice(0, Math.floor(sizes.length / 2));
      if (older.length === 0) return { dropped: [], replaced: new Map() };
      const summary = { output: { summary: older.map(({ node, view }) => `${node}: ${brief(view)}`).join("\n") } };
      return { dropped: older.map(({ node }) => node), replaced: new Map([["_context_summary", summary]]) };
    }
    case "drop_oldest": {
      const dropped: string[] = [];
      // The newest stays whatever its size: a step that reads its predecessor must find it.
      for (const { node, tokens } of sizes.slice(0, -1)) {
        if (total <= maxTokens) break;
        dropped.push(node);
        total -= tokens;
      }
      return { dropped, replaced: new Map() };
    }
  }
}

function truncated(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length <= 200) return value;
    return `${value.slice(0, Math.max(200, Math.floor(value.length / 4)))}… [truncated]`;
  }
  if (Array.isArray(value)) return value.map(truncated);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, truncated(inner)]));
  return value;
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "";
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
};

/** A step or a group as templates see it. */
export type NodeView = Readonly<Record<string, unknown>>;
