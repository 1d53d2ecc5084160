// The largest and smallest of many. `Math.max(...all)` puts all of them on the stack, which overflows with large pictures.

export const largest = (values: Iterable<number>, least = 0): number => {
  let found = least;
  for (const value of values) if (value > found) found = value;
  return found;
};

export const smallest = (values: Iterable<number>, most = Number.POSITIVE_INFINITY): number => {
  let found = most;
  for (const value of values) if (value < found) found = value;
  return found;
};
