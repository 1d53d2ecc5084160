// Code of a plugin may begin something and not wait for it: a promise, a timer, a socket. When that fails, no code
// catches it, and it would end a worker together with all its other runs. Here it is found out whose it was.
import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { inspect } from "node:util";
import { judgeStraysBy, type StrayFault } from "../../errors/stray-fault.ts";
import { fileInStack } from "./plugin-exits.ts";
import { codeOf, currentWork, type PluginWork, whoseWork } from "./plugin-work.ts";
import type { Project } from "./read-project.ts";

/** For the rest of the process. */
export function listenForStrays({ plugins, covered, dir }: Project): void {
  const names = new Map(plugins.map(({ name, file }) => [existsSync(file) ? realpathSync(file) : file, name]));
  const top = realpathSync(dir);
  const codeIn = (file: string): string => {
    const name = names.get(file) ?? (plugins.length === 1 ? plugins[0]?.name : undefined);
    if (name !== undefined) return codeOf(name);
    return `${relative(top, file)}, which plugins of segno.yaml take in,`;
  };
  const reported = new Set<string>();
  judgeStraysBy((problem) => {
    const file = currentWork() ? undefined : fileInStack(problem, covered);
    const work = file === undefined ? currentWork() : { code: codeIn(file) };
    if (!work) return undefined;
    const sentence = sentenceOn(work, said(problem));
    work.fail?.(said(problem), problem);
    // A timer fails again and again.
    if (reported.has(sentence)) return {};
    if (reported.size >= MOST_REPORTED) reported.clear();
    reported.add(sentence);
    return { sentence } satisfies StrayFault;
  });
}

const MOST_REPORTED = 1000;

function sentenceOn(work: PluginWork, why: string): string {
  const { step, fail } = work;
  const what = `${whoseWork(work)} began something that failed and that no code waited for: ${why}.`;
  if (!step) return `${what} This goes on without it.`;
  return `${what} ${fail ? "The step fails with it." : "The step had ended by then, and its result stays."}`;
}

function said(problem: unknown): string {
  const text = problem instanceof Error ? problem.message || problem.name : problem;
  // Anything can be thrown, also what cannot be made a text.
  return (typeof text === "string" ? text : inspect(text)).trim().replace(/\.$/, "");
}
