// Skills in an agent's prompt: which ones it has, and how much of the prompt they may take.
import { isMapping } from "../../errors/mapping.ts";
import type { Skill } from "../caller.ts";
import { BadValue, type StepScope } from "../executor.ts";
import type { AgentStep } from "./schema.ts";

const WARN_BYTES = 65_536;
const MAX_BYTES = 163_840;

export interface SkillText {
  readonly text: string;
  readonly bytes: number;
  /** Set when they take more than `warn_bytes`. */
  readonly over?: number;
}

/** An agent that says `skills` has those alone (none, when the list is empty); otherwise it has the runtime's. */
export function skillText(step: AgentStep, { workflow }: StepScope): SkillText | undefined {
  const { runtime } = workflow;
  const names = step.skills ?? (Array.isArray(runtime.skills) ? runtime.skills.map(String) : []);
  const skills = names.flatMap((name) => workflow.skills?.get(name) ?? []);
  if (skills.length === 0) return undefined;
  const text = ["<skills>", ...skills.map(tagged), "</skills>"].join("\n");
  const bytes = Buffer.byteLength(text);
  const limits = isMapping(runtime.skill_injection) ? runtime.skill_injection : {};
  const max = limitOf(limits.max_bytes, MAX_BYTES);
  if (bytes > max)
    throw new BadValue(
      "skills",
      names,
      `together they take ${bytes} bytes of the prompt, and runtime.skill_injection.max_bytes allows ${max}`,
    );
  const warn = limitOf(limits.warn_bytes, WARN_BYTES);
  return { text, bytes, ...(bytes > warn ? { over: warn } : {}) };
}

const tagged = ({ name, text }: Skill): string => `<skill name="${name}">\n${text}\n</skill>`;

/** `null` is no limit. */
const limitOf = (written: unknown, fallback: number): number =>
  written === null ? Number.POSITIVE_INFINITY : typeof written === "number" ? written : fallback;
