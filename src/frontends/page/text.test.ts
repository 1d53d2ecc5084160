// Times as a reader says them, by their own clock and calendar, whatever their time zone is; and lists of names.
import { expect, it } from "vitest";
import { dayAndTime, inText, namesText } from "./text.ts";

/** On a Tuesday of the reader's. */
const local = (day: number, hour: number, minute: number): number => new Date(2026, 10, day, hour, minute).getTime();
const NOW = local(17, 16, 30);

it.each([
  [local(17, 18, 30), "today 18:30"],
  [local(17, 23, 59), "today 23:59"],
  [local(18, 0, 1), "tomorrow 00:01"],
  [local(16, 23, 59), "yesterday 23:59"],
  [local(20, 9, 0), "Friday 09:00"],
])("%d is %s", (at, said) => {
  expect(dayAndTime(new Date(at).toISOString(), NOW)).toBe(said);
});

it("a day that is further away has its date", () => {
  expect(dayAndTime(local(29, 9, 5), NOW)).toMatch(/29.* 09:05$/);
});

it.each([
  [2 * 3600, "in 2 h"],
  [80 * 60 - 1, "in 1 h 20 min"],
  [45, "in 45 s"],
  [0, "now"],
])("what is %d s away is %s", (seconds, said) => {
  expect(inText(NOW + seconds * 1000, NOW)).toBe(said);
});

it.each([
  [12, "s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12"],
  [13, "s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 and 2 more"],
])("of %d names a sentence never says that there is 1 more: it has room for that one", (count, said) => {
  expect(namesText(Array.from({ length: count }, (_, index) => `s${index + 1}`))).toBe(said);
});
