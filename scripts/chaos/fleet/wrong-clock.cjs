// Required before anything else by a worker whose machine's clock is wrong, by so many milliseconds.
const ms = Number(process.env.CHAOS_CLOCK_MS ?? 0);
const Right = Date;

globalThis.Date = class extends Right {
  constructor(...args) {
    if (args.length === 0) super(Right.now() + ms);
    else super(...args);
  }

  static now() {
    return Right.now() + ms;
  }
};
