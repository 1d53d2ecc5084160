// An answer that is there at once from a store on this machine, and comes later from one that is elsewhere. Whoever asks
// awaits it; where every step passes, `const written = …; if (written) await written` makes no promise that is not needed.
export type Awaitable<Value> = Value | Promise<Value>;
