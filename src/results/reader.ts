// Each reader of a hint has another way to ask Segno: a person types a command, an agent calls a tool, a program a
// function. A text names what is to be asked, and the reader it is for says how.

/** What can be asked of Segno, as far as hints name it. */
export type Wanted =
  | { readonly to: "run" }
  | { readonly to: "validate"; readonly file: string }
  | { readonly to: "resume"; readonly run: string; readonly maxIterations?: number; readonly changedFiles?: true }
  /** Run again what groups of a run went on without. */
  | { readonly to: "run lost items"; readonly run: string }
  /** Go on with a run that waits, so that its question is asked here. */
  | { readonly to: "be asked"; readonly run: string }
  | { readonly to: "cancel"; readonly run: string }
  /** Go on with a run that another process may still drive. */
  | { readonly to: "take over"; readonly run: string }
  | { readonly to: "follow"; readonly run: string }
  | { readonly to: "show"; readonly run: string }
  | { readonly to: "list runs" }
  | { readonly to: "list gates" }
  /** `gate` when several wait. */
  | { readonly to: "answer"; readonly run: string; readonly gate?: string }
  | { readonly to: "list letters" }
  /** One letter, or all of a run. */
  | { readonly to: "retry"; readonly letter: string }
  | { readonly to: "retry"; readonly run: string }
  /** All that a list of letters showed: its filters, by their names. */
  | { readonly to: "retry all"; readonly filters: Readonly<Record<string, string>> }
  | { readonly to: "list breakers" }
  | { readonly to: "reset"; readonly breaker: string }
  | { readonly to: "list workers" }
  /** Remove old runs. */
  | { readonly to: "prune" }
  /** Look what is wrong with the store, and make its index anew. */
  | { readonly to: "examine" }
  | { readonly to: "reindex" }
  /** Try the MCP servers of a file. */
  | { readonly to: "start servers" };

/** An argument of what was asked. */
export type Given =
  /** `example`: a value of its type in JSON, where that is not plain. */
  | { readonly what: "input"; readonly name: string; readonly example?: string | undefined }
  | { readonly what: "gate" }
  /** Another folder to keep runs in. */
  | { readonly what: "home" }
  /** Whom agents ask, whatever the file says. */
  | { readonly what: "provider" }
  | { readonly what: "answer"; readonly name: string }
  /** An option, by its name on the command line without the dashes, with its value. */
  | { readonly what: "option"; readonly name: string; readonly value?: string };

export interface Reader {
  /** How they ask for it; null when they cannot, and the text then does without. */
  ask(wanted: Wanted): string | null;
  /** How they give it. */
  give(given: Given): string;
}
