// A value that is there, or a promise of it. A store in this process answers at once, a remote one with a promise. No
// promise is made for a value that is there.

export type Awaitable<Value> = Value | Promise<Value>;

/** What `next` makes of the value once it is there. */
export const mapMaybe = <Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> => (value instanceof Promise ? value.then(next) : next(value));

/** Does one thing after the other. */
export function sequence(...tasks: readonly (() => void | Promise<void>)[]): void | Promise<void> {
  let earlier: Promise<void> | undefined;
  for (const task of tasks) earlier = earlier ? earlier.then(task) : (task() ?? undefined);
  return earlier;
}
