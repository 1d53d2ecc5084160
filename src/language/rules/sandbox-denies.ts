// sandbox-denies: what a file asks of an agent, and its sandbox will not let it do.
import { type CodingStep, codingSteps } from "./coding-agents.ts";
import { defineRule } from "./rule.ts";
import { code } from "./wording.ts";

const PUSHES =
  /\bgit\s+push\b|\bpush(?:es)?\s+(?:it|them|the|your|to|all|a)\b|\bopen(?:s)? a (?:pull|merge) request\b/i;
const COMMITS = /\bgit\s+commit\b|\bcommit(?:s)?\s+(?:it|them|the|your|all|everything|and)\b/i;
const CHANGES = /^(?:edit|write|notebookedit|multiedit|create|apply_patch)\b/i;

/** Why the sandbox denies it, and what would help; nothing when it does not, as far as can be known. */
function denial({ sandbox, allow, network, provider }: CodingStep, asked: string): string | undefined {
  if (sandbox === "full") return undefined;
  const changes = sandbox === "read-only" ? allow.find((rule) => CHANGES.test(rule.trim())) : undefined;
  if (changes !== undefined)
    return `it allows ${code(changes)}, and under \`sandbox: read-only\` an agent changes nothing. Use \`sandbox: workspace\``;
  if (PUSHES.test(asked) && !network)
    return `it is to push, and under \`sandbox: ${sandbox}\` commands have no network. Push in a script step after it, or say \`network: true\``;
  if (!COMMITS.test(asked)) {
    const [rule] = provider === "codex" ? allow : [];
    return rule === undefined
      ? undefined
      : `it allows ${code(rule)}, and codex has no such list, so that it changes nothing. Take it out, or let a person decide with \`ask: gate\``;
  }
  if (sandbox === "read-only")
    return "it is to commit, and under `sandbox: read-only` an agent changes nothing. Commit in a script step after it";
  return provider === "codex"
    ? "it is to commit, and codex mounts `.git` read-only under `sandbox: workspace`. Commit in a script step after it"
    : undefined;
}

/** Where `allow` stands: on the step, on its provider, or on the file's. */
function allowPath({ node, step }: CodingStep): readonly (string | number)[] {
  if (step.allow) return [...node.path, "allow"];
  const isOwn = step.provider && "allow" in step.provider && step.provider.allow !== undefined;
  return isOwn ? [...node.path, "provider", "allow"] : ["workflow", "runtime", "provider", "allow"];
}

export const sandboxDenies = defineRule({
  name: "sandbox-denies",
  severity: "warning",
  description: "What the prompt or `allow` of an agent asks for, its sandbox does not deny, where that can be known.",
  example: "- { name: fix, provider: codex, prompt: Fix the test and commit it. }",
  *check(context) {
    for (const found of codingSteps(context)) {
      const { node, step, allow } = found;
      const byPrompt = denial({ ...found, allow: [] }, step.prompt);
      const why = byPrompt ?? denial(found, allow.join("\n"));
      if (!why) continue;
      const where = byPrompt ? [...node.path, "prompt"] : allowPath(found);
      const by = byPrompt ? "" : ` by its \`allow\``;
      yield context.finding(where, `${code(node.name)} will be denied something${by}: ${why}.`, { node: node.name });
    }
  },
});
