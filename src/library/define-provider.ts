// Own model providers: one function from a conversation to one turn of it.
import type { Hooks, Provider, ProviderCall, Turn } from "../providers/provider.ts";

export interface ProviderSpec {
  /** What files say: `provider: <name>`. A name that Segno has stands in for that provider. */
  readonly name: string;
  /** Used when neither the step nor the file names a model. */
  readonly defaultModel?: string;
  /**
   * Makes one turn. Throw an error with `statusCode` for what an API refused: 408, 409, 429 and 5xx are tried again,
   * as is an error without one; others are `provider.rejected`.
   */
  call(request: ProviderCall, hooks: Hooks): Promise<ProviderTurn> | ProviderTurn;
}

/** A turn, of which only the text is needed. */
export type ProviderTurn = Pick<Turn, "text"> & Partial<Omit<Turn, "text">>;

const NOTHING: Omit<Turn, "text"> = {
  calls: [],
  goesOn: false,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  cutAtMaxTokens: false,
  wrapped: false,
};

/**
 * Defines a model provider for `run` and `resume`. Retries, tools, schemas and costs are taken care of around it.
 *
 * @example
 * const parrot = defineProvider({
 *   name: "parrot",
 *   call: ({ messages }) => {
 *     const last = messages.at(-1);
 *     return { text: last?.role === "user" ? last.text : "…" };
 *   },
 * });
 * await run("talk.yaml", { providers: [parrot] });
 */
export function defineProvider({ name, defaultModel = "", call }: ProviderSpec): Provider {
  if (name === "") throw new TypeError("a provider needs a name, which files use for it");
  return {
    name,
    defaultModel,
    async call(request, hooks) {
      try {
        return { ...NOTHING, ...(await call(request, hooks)) };
      } catch (problem) {
        if (request.signal.aborted) throw problem;
        const { classify } = await import("../providers/classify.ts");
        throw classify(problem, Date.now());
      }
    },
  };
}
