// Fits the outputs that templates see into `context.max_tokens`: by Segno's measure, or as Conductor does it.

type NodeView = Readonly<Record<string, unknown>>;

export type Trim = "drop_oldest" | "truncate" | "summarize";

interface Sized {
  readonly node: string;
  readonly view: NodeView;
  readonly tokens: number;
}

export interface Trimmed {
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

// As Conductor: all that templates see is measured, the newest output is not spared, and only texts directly in an output
// are cut.

export function trimAsConductor(
  views: ReadonlyMap<string, NodeView>,
  rest: unknown,
  maxTokens: number,
  strategy: Trim,
): Trimmed {
  const restLength = pythonLength(rest);
  const lengths = new Map([...views].map(([node, view]) => [node, pythonLength(node) + pythonLength(view) + 4]));
  const tokens = (): number =>
    Math.floor([...lengths.values()].reduce((sum, length) => sum + length, restLength) / CHARACTERS_PER_TOKEN);
  if (tokens() <= maxTokens) return NOTHING;
  switch (strategy) {
    case "drop_oldest": {
      const dropped: string[] = [];
      for (const node of views.keys()) {
        if (tokens() <= maxTokens) break;
        lengths.delete(node);
        dropped.push(node);
      }
      return { dropped, replaced: new Map() };
    }
    case "truncate":
      return { dropped: [], replaced: truncatedTexts(views, tokens() - maxTokens) };
    case "summarize": {
      const nodes = [...views.keys()];
      const older = nodes.slice(0, nodes.length - Math.max(1, Math.floor(nodes.length / 2)));
      if (older.length === 0) return NOTHING;
      const summary = older.map((node) => `${node}: ${summaryOf(views.get(node))}`.trim()).join("; ");
      const output = { summary: summary.slice(0, 500), dropped_agents: older };
      return { dropped: older, replaced: new Map([["_context_summary", { output }]]) };
    }
    default:
      return strategy satisfies never;
  }
}

const NOTHING: Trimmed = { dropped: [], replaced: new Map() };
const CHARACTERS_PER_TOKEN = 4;

function truncatedTexts(views: ReadonlyMap<string, NodeView>, tooMany: number): ReadonlyMap<string, NodeView> {
  const replaced = new Map<string, NodeView>();
  let left = tooMany;
  for (const [node, view] of views) {
    if (left <= 0) break;
    const { output } = view;
    if (typeof output !== "object" || output === null || Array.isArray(output)) continue;
    const cut: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(output)) {
      if (typeof value !== "string" || Math.floor(value.length / CHARACTERS_PER_TOKEN) <= 50) continue;
      const text = `${value.slice(0, Math.max(200, Math.floor(value.length / 4)))}... [truncated]`;
      cut[key] = text;
      left -= Math.floor(value.length / CHARACTERS_PER_TOKEN) - Math.floor(text.length / CHARACTERS_PER_TOKEN);
    }
    if (Object.keys(cut).length > 0) replaced.set(node, { ...view, output: { ...output, ...cut } });
  }
  return replaced;
}

function summaryOf(view: NodeView | undefined): string {
  const output = view?.output ?? view;
  if (typeof output !== "object" || output === null) return String(output);
  return Object.entries(output)
    .map(([key, value]) => `${key}=${typeof value === "string" ? `${value.slice(0, 50)}...` : JSON.stringify(value)} `)
    .join("");
}

/** The length of a value as Python writes JSON: with blanks after commas and colons, and only ASCII. */
function pythonLength(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce<number>((sum, one) => sum + pythonLength(one) + 2, value.length > 0 ? 0 : 2);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    return entries.reduce(
      (sum, [key, one]) => sum + pythonLength(key) + pythonLength(one) + 4,
      entries.length > 0 ? 0 : 2,
    );
  }
  const text = JSON.stringify(value) ?? "null";
  return text.length + 5 * (text.match(/[^\x00-\x7f]/g)?.length ?? 0);
}
