// What a run left in the state that all runs share: its dead letters, and the breakers.
import { segno } from "./segno.mjs";

/** `{ letters, breakers }`, as the command line tells them; nothing of what `files` do not use. */
export async function sharedOf(at, runId, { keepsLetters, hasBreakers }) {
  const letters = keepsLetters ? await lettersOf(at, runId) : [];
  const { result } = hasBreakers ? await segno(["breakers"], at) : { result: { breakers: [] } };
  return { letters, breakers: result?.breakers ?? [] };
}

async function lettersOf(at, runId) {
  const { result } = await segno(["dlq", "list", "--all", "--run", runId], at);
  return Promise.all((result?.letters ?? []).map((letter) => whole(at, letter)));
}

/** Its history only where there is one: asking costs a process. */
async function whole(at, letter) {
  if (letter.attempts < 2) return { ...letter, history: [letter.kind] };
  const { result } = await segno(["dlq", "show", letter.id], at);
  return { ...letter, history: result.letters[0].history.map(({ kind }) => kind) };
}

/** Which of it the files of a seed use. */
export function usesOf(files) {
  const sections = Object.entries(files).flatMap(([name, text]) =>
    name.endsWith(".yaml") ? [JSON.parse(text).workflow] : [],
  );
  const main = JSON.parse(files["main.yaml"]).workflow;
  return {
    keepsLetters: sections.some(({ resilience }) => resilience?.dead_letter),
    hasBreakers: sections.some(({ resilience }) => resilience?.circuit_breaker),
    /** Of the main file: those of a child hold for the child alone. */
    breaker: main.resilience?.circuit_breaker,
    slots: main.policies?.find((entry) => entry.max_concurrent_tasks)?.max_concurrent_tasks,
  };
}
