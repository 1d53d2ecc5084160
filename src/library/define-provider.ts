// Own model providers: one function from a conversation to one turn of it.
import type { Raised } from "../errors/index.ts";
import { OwnCodeFault, ownCodeFault } from "../errors/own-code.ts";
import type { Hooks, Provider, ProviderCall, Turn } from "../providers/provider.ts";
import { shown } from "./shown.ts";
import { type AnySchema, type JsonSchemaLike, type KeptOr, readBy } from "./standard-schema.ts";
import { checkProviderSpec } from "./wrong-call.ts";

export interface ProviderSpec<Schema extends AnySchema = JsonSchemaLike> {
  /** What files say: `provider: <name>`. A name that Segno has stands in for that provider. */
  readonly name: string;
  /** Used when neither the step nor the file names a model. */
  readonly defaultModel?: string;
  /** What a file may say under `provider` beside the name: `settings` of a call. What it refuses is `provider.rejected`. */
  readonly schema?: Schema;
  /**
   * Makes one turn. Throw an error with `statusCode` for what an API refused: 408, 409, 429 and 5xx are tried again,
   * as is an error without one; others are `provider.rejected`.
   */
  call(
    request: Omit<ProviderCall, "settings"> & { readonly settings: KeptOr<Schema, ProviderCall["settings"]> },
    hooks: Hooks,
  ): Promise<ProviderTurn> | ProviderTurn;
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
export function defineProvider<const Schema extends AnySchema = JsonSchemaLike>(spec: ProviderSpec<Schema>): Provider {
  checkProviderSpec(spec);
  const { name, defaultModel = "" } = spec;
  return {
    name,
    defaultModel,
    async call(request, hooks) {
      let given: unknown;
      try {
        const read = spec.schema ? await readBy(spec.schema, request.settings) : { value: request.settings };
        if ("refused" in read) throw new RefusedSettings(`\`provider\` of the file: ${read.refused.join("; ")}`);
        given = await spec.call({ ...request, settings: read.value as never }, hooks);
      } catch (problem) {
        if (request.signal.aborted) throw problem;
        const { classify } = await import("../providers/classify.ts");
        throw classify(problem, Date.now());
      }
      if (!isTurn(given)) throw new OwnCodeFault(noTurn(name, given));
      return { ...NOTHING, ...given, tokens: { ...NOTHING.tokens, ...given.tokens } };
    },
  };
}

/** As an API would refuse it: trying again cannot help. */
class RefusedSettings extends Error {
  readonly statusCode = 400;
}

const isTurn = (given: unknown): given is ProviderTurn =>
  typeof given === "object" &&
  given !== null &&
  "text" in given &&
  typeof given.text === "string" &&
  (!("calls" in given) || given.calls === undefined || Array.isArray(given.calls));

/** No failure of a provider, which might be tried again: the code is wrong. */
function noTurn(name: string, given: unknown): Raised {
  const code = `\`call\` of the provider ${name}`;
  return ownCodeFault(code, `${code} gave ${shown(given)}; it must give a turn with its \`text\`: { text: "…" }.`);
}
