// What a keyframe says of the events before it, beside the run's state: what was used up, which files scripts ran or named,
// and where coding agents worked. Folded while a run is driven, and again when it is read back.
import type { FileDigest } from "../../events/file-digest.ts";
import type { RunEvent } from "../../events/registry.ts";
import { type PackedLedger, RunLedger } from "../../events/run-ledger.ts";
import { UnansweredGates } from "../../events/unanswered-gates.ts";

export interface PackedFacts {
  readonly ledger: PackedLedger;
  readonly files: readonly FileDigest[];
  readonly agentFolders: readonly string[];
  /** Gates for certain people that wait. Not in keyframes of 0.3.0. */
  readonly gates?: readonly (readonly [string, string])[];
}

/** A resume looks at every one of them. */
const MOST_FILES = 1_000;

export class KeyframeFacts {
  readonly agentFolders: Set<string>;
  readonly #ledger: RunLedger;
  readonly #files: Map<string, string>;
  readonly #gates: UnansweredGates;
  /** Of scripts that run: by the key of their visit. */
  readonly #named = new Map<string, readonly FileDigest[]>();
  #areFilesSteady = true;

  constructor(packed?: PackedFacts) {
    this.agentFolders = new Set(packed?.agentFolders);
    this.#ledger = new RunLedger(packed?.ledger);
    this.#files = new Map(packed?.files.map(({ path, digest }) => [path, digest]));
    this.#gates = new UnansweredGates(packed?.gates);
  }

  /** A file that is not now as some script had it: a resume has to look at each step that named it. */
  get areFilesSteady(): boolean {
    return this.#areFilesSteady && this.#files.size <= MOST_FILES;
  }

  packed(): PackedFacts {
    const files = [...this.#files].map(([path, digest]) => ({ path, digest }));
    const [agentFolders, gates] = [[...this.agentFolders], [...this.#gates.all]];
    return { ledger: this.#ledger.packed(), files, agentFolders, gates };
  }

  add(event: RunEvent): void {
    this.#ledger.add(event);
    this.#gates.add(event);
    switch (event.type) {
      case "script_started":
        if (event.data.files?.length) this.#named.set(event.data.key ?? "", event.data.files);
        break;
      case "script_completed":
      case "script_failed":
        this.#ended(event.data.key ?? "", event.data.changed_files ?? []);
        break;
      case "agent_reused":
        for (const file of event.data.files ?? []) this.#keep(file);
        break;
      case "agent_session":
        if (event.data.working_dir !== undefined) this.agentFolders.add(event.data.working_dir);
        break;
      default:
    }
  }

  #ended(key: string, changed: readonly string[]): void {
    for (const file of this.#named.get(key) ?? []) if (!changed.includes(file.path)) this.#keep(file);
    this.#named.delete(key);
  }

  #keep({ path, digest }: FileDigest): void {
    if ((this.#files.get(path) ?? digest) !== digest) this.#areFilesSteady = false;
    this.#files.set(path, digest);
  }
}
