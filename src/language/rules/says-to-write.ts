// Whether a prompt says to write a file. Only what is said as an order counts, and only of a file: "say how to edit it",
// "do not change any file" and "write a summary of notes.md" are none.

/** Where an order begins: a sentence, an item of a list, or a further part of one. */
const BEGIN = String.raw`(?:^|[.;:!?\n]\s*|,\s*|\b(?:and|then|please|finally)\s+)(?:[-*]\s+|\d+[.)]\s+)?`;
const ARTICLES = String.raw`(?:(?:the|a|an|this|that|each|every|all|new|your)\s+)*`;
const PATH = String.raw`[\x60"']?(?:[\w.-]+\/)*[\w-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sh|sql|md|txt|json|jsonl|ya?ml|toml|xml|html|css|csv|ini|env|lock)\b`;
const FILE = String.raw`${ARTICLES}(?:files?\b|(?:file\s+)?${PATH})`;

const ORDERS = [
  `(?:write|edit|modify|rewrite|overwrite|create|update|fix|patch|delete|remove|rename)\\s+${FILE}`,
  `(?:write|save|append|add|put|store)\\s+[^.;:!?\\n]{0,60}?\\b(?:to|into)\\s+${FILE}`,
].map((order) => new RegExp(`${BEGIN}(${order})`, "i"));

/** The order, as it is written; nothing when there is none. */
export function saysToWriteFile(prompt: string): string | undefined {
  for (const order of ORDERS) {
    const [, said] = order.exec(prompt) ?? [];
    if (said !== undefined) return said.replace(/[`"']/g, "");
  }
  return undefined;
}
