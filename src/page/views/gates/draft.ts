// An answer that is not sent yet.
export interface GateDraft {
  readonly value: string | null;
  readonly inputs: Readonly<Record<string, string>>;
  /** The same until something is changed: sending twice answers once. */
  readonly key: string;
}
