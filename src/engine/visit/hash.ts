// A step's hash: what must be the same for an earlier outcome to be reused.
import { createHmac, hash } from "node:crypto";
import { environmentNames, type VariableStyle } from "../../language/environment.ts";
import { familySources, type LoadedWorkflow, type NodePath } from "../../language/loaded.ts";

/** Fields that change what happens around a step, not what it does. */
const NOT_HASHED: ReadonlySet<string> = new Set(
  "routes description raises timeout timeout_seconds cache phase produces name".split(" "),
);

export interface HashWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Key of the digest of environment values, so that a hash tells nothing about a secret. */
  readonly key: string;
}

/** In one call: three times as fast as feeding the parts one by one, and it is done for every step. */
export const hashOfParts = (...parts: readonly string[]): string => hash("sha256", parts.join("\0"));

/** Digest of what an author wrote for a step: its type, its definition with all templates, the environment it names. */
export class Definitions {
  readonly #digests = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  constructor(
    readonly workflow: LoadedWorkflow,
    readonly world: HashWorld,
  ) {}

  digest(node: string, type: string, version: number): string {
    const entry = `${type}:${node}`;
    let digest = this.#digests.get(entry);
    if (digest === undefined) {
      const raw = rawOf(this.workflow, node);
      digest = hashOfParts(
        type,
        String(version),
        JSON.stringify(hashedPart(raw)) ?? "",
        environmentDigest(raw, this.world, this.workflow.definition.semantics.variables),
      );
      this.#digests.set(entry, digest);
    }
    return digest;
  }

  /** A node's digest for the journal, the first time only: it stays the same while a frame is driven. */
  recordOnce(node: string, digest: string): string | undefined {
    if (this.#recorded.has(node)) return undefined;
    this.#recorded.set(node, digest);
    return digest;
  }

  /** Those that are in the journal, by node. */
  get recorded(): ReadonlyMap<string, string> {
    return this.#recorded;
  }

  /** Whether the node takes anything from the environment. */
  namesEnvironment(node: string): boolean {
    return environmentNames(rawOf(this.workflow, node), this.workflow.definition.semantics.variables).length > 0;
  }
}

/** What is written for a node. Inline steps of groups may share a name: then what is written for all of them. */
function rawOf({ raw, definition, pathOf }: LoadedWorkflow, node: string): unknown {
  const paths = [pathOf(node)];
  for (const [index, { agent }] of definition.for_each.entries())
    if (agent.name === node && !(paths[0]?.[0] === "for_each" && paths[0][1] === index))
      paths.push(["for_each", index, "agent"]);
  const parts = paths.map((path) => valueAt(raw, path));
  return parts.length === 1 ? parts[0] : parts.map(hashedPart);
}

/** Digest of the environment that a part of a file names; empty when it names none. */
export function environmentDigest(raw: unknown, world: HashWorld, style?: VariableStyle): string {
  const names = environmentNames(raw, style);
  if (names.length === 0) return "";
  const hmac = createHmac("sha256", world.key);
  for (const name of names) hmac.update(`${name}=${world.env[name] ?? ""}\0`);
  return hmac.digest("hex");
}

export const stepHash = (definition: string, values: unknown): string =>
  `sha256:${hash("sha256", `${definition}\0${textOfValues(values)}`)}`;

/** As JSON; by the hashes of its parts when it would be longer than any text can be. */
function textOfValues(values: unknown): string {
  try {
    return JSON.stringify(values) ?? "undefined";
  } catch (problem) {
    if (!(problem instanceof RangeError) || typeof values !== "object" || values === null) throw problem;
    const parts = Object.entries(values).map(([key, value]) => [key, hash("sha256", textOfValues(value))]);
    return JSON.stringify([Array.isArray(values) ? "list" : "mapping", parts]);
  }
}

/** What an author wrote for a step, without the fields that change only what happens around it. */
export function hashedPart(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !NOT_HASHED.has(key)));
}

function valueAt(raw: unknown, path: NodePath): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** Digest of a file and all that it calls: a change anywhere below counts as a change, one above it does not. */
export function fileDigest(workflow: LoadedWorkflow): string {
  return sourcesDigest(familySources(workflow));
}

/** The same, of sources that were pinned. */
export function sourcesDigest(sources: ReadonlyMap<string, string>): string {
  return hashOfParts(...[...sources].sort(([a], [b]) => (a < b ? -1 : 1)).flat());
}
