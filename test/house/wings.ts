// The wings of src/ in their order, and which import breaks it. Types count as much as code.

/** Lower wings come first. A wing imports only what is below it, and no other wing of its own line. */
const LINES: readonly (readonly string[])[] = [
  ["base"],
  ["template"],
  ["steps"],
  ["language", "providers"],
  ["engine", "graph"],
  ["storage"],
  ["services"],
  ["frontends"],
  ["features"],
  ["lists"],
  ["roots"],
];

/** Only the roots and the two lists import a feature. The list for Node and the one for the browser are two programs. */
const ROOTS: readonly string[] = ["main.ts", "index.ts", "page.tsx"];
const LISTS: readonly string[] = ["features/index.ts", "features/page.ts"];

/** The features that a feature may import. */
const FEATURES_OF: Readonly<Record<string, readonly string[]>> = {
  history: ["scenarios"],
  evals: ["scenarios", "history"],
  editor: ["scenarios"],
};

/** The fleet brings a store of its own, so it shares with the embedded store what both are made of. */
const STORAGE_OF_FLEET: readonly string[] = ["state", "rows", "files"];

/** Wings whose code needs less than the order allows. Their types follow the order alone. */
const RUNS_ONLY: Readonly<Record<string, readonly string[]>> = {
  // The template engine could be a package of its own.
  template: ["base/json"],
  graph: ["base", "language"],
  // The engine meets models, stores and processes through its port.
  engine: ["base", "template", "steps", "language"],
  storage: ["base", "steps", "engine"],
  // These two parse what they are asked and show what a service answers.
  "frontends/cli": ["base", "language", "engine", "services"],
  "frontends/mcp": ["base", "services"],
};

/** Whether a place is the file or folder that is named, or stands below it. */
export const isWithin = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}/`);

export function wingOf(file: string): string {
  if (ROOTS.includes(file) || isWithin(file, "bin")) return "roots";
  return LISTS.includes(file) ? "lists" : (file.split("/")[0] ?? file);
}

const rankOf = (wing: string): number => LINES.findIndex((line) => line.includes(wing));

export const isInPlan = (file: string): boolean => rankOf(wingOf(file)) >= 0;

/** The folder of a wing in which a file stands; "" for a file directly in the wing, which is known to all of the wing. */
function partOf(file: string): string {
  const [, part = "", ...inside] = file.split("/");
  return inside.length === 0 ? "" : part;
}

/** Why an import is against the order of the wings, as a sentence. Returns undefined if the import is fine. */
export function whyWrong({ from, to }: { readonly from: string; readonly to: string }): string | undefined {
  const [wing, other] = [wingOf(from), wingOf(to)];
  if (wing === other) return whyWrongInside(wing, from, to);
  if (other === "features" && rankOf(wing) < rankOf(other))
    return "Only the roots, features/index.ts and features/page.ts import a feature.";
  if (rankOf(wing) < rankOf(other)) return `${wing} stands below ${other}.`;
  if (rankOf(wing) === rankOf(other)) return `${wing} and ${other} stand side by side.`;
  if (wing === "features" && other === "storage" && partOf(to) !== "") {
    const isOfFleet = partOf(from) === "fleet" && STORAGE_OF_FLEET.includes(partOf(to));
    return isOfFleet ? undefined : "Of storage, a feature imports only the ports: the files directly in it.";
  }
  return undefined;
}

function whyWrongInside(wing: string, from: string, to: string): string | undefined {
  const [part, other] = [partOf(from), partOf(to)];
  if (part === other || other === "") return undefined;
  if (wing === "frontends") {
    if (part === "page" && isWithin(to, "frontends/server/contract")) return undefined;
    return "Front ends do not import each other; the page knows server/contract.";
  }
  if (wing === "features") {
    const known = FEATURES_OF[part] ?? [];
    return known.includes(other) ? undefined : `The feature ${part} imports ${known.join(" and ") || "no feature"}.`;
  }
  return undefined;
}

/** Whether a file's code may load another one, by what its wing needs; for imports that the order allows. */
export function needsMore(from: string, to: string): boolean {
  const narrow = Object.keys(RUNS_ONLY).find((folder) => isWithin(from, folder));
  if (narrow === undefined || isWithin(to, narrow)) return false;
  return !RUNS_ONLY[narrow]?.some((folder) => isWithin(to, folder));
}
