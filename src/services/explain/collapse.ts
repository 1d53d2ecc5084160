// Steps that follow one another again and again become one scene, with how often: a loop of 50 rounds is one line.
import type { Scene, VisitScene } from "./story.ts";

const LONGEST_ROUND = 8;

/** Whether two visits read the same. What an agent asked, and who allowed it, is shown each time. */
const isAlike = (a: VisitScene, b: VisitScene): boolean =>
  a.node_id === b.node_id &&
  a.status === b.status &&
  a.kind === b.kind &&
  a.why === b.why &&
  !a.requests &&
  !b.requests;

/** The scenes with rounds folded; from left to right, the shortest round first. */
export function collapse(visits: readonly VisitScene[]): readonly Scene[] {
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
const summed = (visit: VisitScene, rounds: readonly VisitScene[], index: number, length: number): VisitScene => ({
  ...visit,
  duration_ms: rounds.reduce((sum, one, at) => (at % length === index ? sum + one.duration_ms : sum), 0),
});

function roundAt(
  visits: readonly VisitScene[],
  at: number,
): { readonly length: number; readonly times: number } | undefined {
  for (let length = 1; length <= LONGEST_ROUND; length++) {
    let times = 1;
    while (repeats(visits, at, length, times)) times++;
    if (times > 1) return { length, times };
  }
  return undefined;
}

function repeats(visits: readonly VisitScene[], at: number, length: number, times: number): boolean {
  for (let index = 0; index < length; index++) {
    const first = visits[at + index];
    const again = visits[at + length * times + index];
    if (!first || !again || !isAlike(first, again)) return false;
  }
  return true;
}
