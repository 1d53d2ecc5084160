// Steps that follow one another again and again are told once, with how often: a loop of 50 rounds is one line.
import type { Scene, Visit } from "./story.ts";

const LONGEST_ROUND = 8;

/** Whether two visits are told in the same words. */
const isAlike = (a: Visit, b: Visit): boolean =>
  a.node_id === b.node_id && a.status === b.status && a.kind === b.kind && a.why === b.why;

/** The scenes with rounds folded; from left to right, the shortest round first. */
export function collapse(visits: readonly Visit[]): readonly Scene[] {
  const scenes: Scene[] = [];
  for (let at = 0; at < visits.length; ) {
    const round = roundAt(visits, at);
    if (round) {
      const { length, times } = round;
      const last = at + length * (times - 1);
      const rounds = visits.slice(at, at + length * times);
      scenes.push({
        times,
        scenes: visits.slice(last, last + length).map((visit, index) => summed(visit, rounds, index, length)),
      });
      at += length * times;
    } else {
      const visit = visits[at];
      if (visit) scenes.push(visit);
      at++;
    }
  }
  return scenes;
}

/** What a step took over all rounds. */
const summed = (visit: Visit, rounds: readonly Visit[], index: number, length: number): Visit => ({
  ...visit,
  duration_ms: rounds.reduce((sum, one, at) => (at % length === index ? sum + one.duration_ms : sum), 0),
});

function roundAt(
  visits: readonly Visit[],
  at: number,
): { readonly length: number; readonly times: number } | undefined {
  for (let length = 1; length <= LONGEST_ROUND; length++) {
    let times = 1;
    while (repeats(visits, at, length, times)) times++;
    if (times > 1) return { length, times };
  }
  return undefined;
}

function repeats(visits: readonly Visit[], at: number, length: number, times: number): boolean {
  for (let index = 0; index < length; index++) {
    const first = visits[at + index];
    const again = visits[at + length * times + index];
    if (!first || !again || !isAlike(first, again)) return false;
  }
  return true;
}
