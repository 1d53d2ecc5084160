/** What an attempt is about to do: policies may look for patterns in it. */
export interface StepIntent {
  readonly command?: string;
  readonly args?: readonly string[];
  /** Names of the variables that the step sets. */
  readonly env?: readonly string[];
  readonly url?: string;
  readonly method?: string;
  /** The file, as the step names it. */
  readonly workflow?: string;
  readonly provider?: string;
  /** The first of `models`. */
  readonly model?: string;
  /** All that may be asked, in order. */
  readonly models?: readonly string[];
  readonly server?: string;
  readonly tool?: string;
}
