// No letter is lost and none is there twice: the same places, kinds, ends and attempts as without kills.
import { plainKind } from "../outcome.mjs";

/** `torn`: what failed in writes that were lost runs again, and fails again: both stand in its letter. */
export function lettersAgree(reference, disturbed, { torn, drives }) {
  const wrong = [];
  const [expected, found] = [byPlace(reference.letters), byPlace(disturbed.letters)];
  for (const [place, letters] of found) {
    if (!expected.has(place)) wrong.push(`there is a letter of ${place}, and should be none`);
    if (letters.length > 1) wrong.push(`there are ${letters.length} letters of ${place}`);
  }
  for (const [place, [letter]] of expected) {
    const [other] = found.get(place) ?? [];
    if (other) wrong.push(...letterAgrees(place, letter, other, { torn, drives }));
    else wrong.push(`the letter of ${place} is lost`);
  }
  return wrong;
}

function letterAgrees(place, letter, other, { torn, drives }) {
  const wrong = [];
  for (const [name, of] of Object.entries({
    status: (one) => one.status,
    history: (one) => one.history.map(plainKind).join(),
  }))
    if (of(letter) !== of(other) && !(torn && name === "history" && of(other).startsWith(of(letter))))
      wrong.push(`the letter of ${place} has ${name} ${of(other)}, and should have ${of(letter)}`);
  // An attempt that was cut off counts as one, and so does giving up what was not yet recorded as given up.
  for (const name of ["attempts", "count"])
    if (other[name] < letter[name] || other[name] > letter[name] + drives)
      wrong.push(
        `the letter of ${place} has ${name} ${other[name]} after ${drives} drives, and ${letter[name]} in one`,
      );
  return wrong;
}

function byPlace(letters = []) {
  const places = new Map();
  for (const letter of letters) {
    const { kind, path, group, item_key, node_id } = letter;
    const place = [...path, group, item_key, node_id, plainKind(kind)].filter((part) => part !== undefined).join("/");
    places.set(place, [...(places.get(place) ?? []), letter]);
  }
  return places;
}
