// Wrong use of the command line. It ends with exit code 2, a sentence, and where to read on.
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly suggestions: readonly string[];
  /** The command whose --help would tell more. */
  readonly command: string | undefined;

  constructor(message: string, more: { suggestions?: readonly string[]; command?: string } = {}) {
    super(message);
    this.suggestions = more.suggestions ?? [];
    this.command = more.command;
  }
}
