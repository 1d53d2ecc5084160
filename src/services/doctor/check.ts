// One thing that was looked at.

export interface Check {
  readonly name: string;
  /** False when something is broken: it would keep runs from working. */
  readonly ok: boolean;
  readonly message: string;
  /** False: it could not be used, and nothing that was asked about needs it. */
  readonly ready?: boolean;
}

export const good = (name: string, message: string): Check => ({ name, ok: true, message });
export const broken = (name: string, message: string): Check => ({ name, ok: false, message });
