// Where the workflows of a test are driven: in this process, or, when a test has one to itself, by the workers of a fleet.

interface FleetOfTest {
  readonly url: string;
  readonly sealKey: string;
}

let fleet: FleetOfTest | undefined;

/** From now on, until it is called without one. */
export function driveOn(another?: FleetOfTest): void {
  fleet = another;
}

/** What a request says beside its folder, home and environment. */
export const hostPart = (): { readonly fleet?: string } => (fleet ? { fleet: fleet.url } : {});

/** What its environment has. */
export const hostEnv = (): Readonly<Record<string, string>> => (fleet ? { SEGNO_SEAL_KEY: fleet.sealKey } : {});
