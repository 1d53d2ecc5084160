// A value that is there, or will be: what is kept in this process is known at once, what is kept far away comes with a
// promise. No promise is made where none came back.

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
