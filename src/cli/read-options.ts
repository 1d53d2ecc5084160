// Arguments → operands and options, by a command's table. Small on purpose: every call waits for it, and a library that
// can do more brought half of Node's standard library along.
import type { OptionSpec } from "./command.ts";

export interface Flag {
  readonly spec: OptionSpec;
  readonly short?: string;
  readonly long: string;
  /** What the option is kept under: `max-iterations`, and `color` for `--no-color`. */
  readonly name: string;
  readonly negates: boolean;
  readonly takesValue: boolean;
}

export function flagOf(spec: OptionSpec): Flag {
  const long = /--[\w-]+/.exec(spec.flags)?.[0] ?? spec.flags;
  const short = /^-\w/.exec(spec.flags)?.[0];
  const negates = long.startsWith("--no-");
  return {
    spec,
    long,
    ...(short ? { short } : {}),
    name: long.slice(negates ? 5 : 2),
    negates,
    takesValue: spec.flags.includes("<"),
  };
}

export interface OptionsRead {
  readonly operands: readonly string[];
  /** By name: true or false for flags, otherwise what was written, in order. */
  readonly options: ReadonlyMap<string, boolean | readonly string[]>;
  /** Options that the command does not have. */
  readonly unknown: readonly string[];
  /** The option at the end of the line that lacks its value. */
  readonly unfinished?: string;
}

const isOption = (arg: string): boolean => arg.length > 1 && arg.startsWith("-") && !/^-\d*\.?\d+$/.test(arg);

export function readOptions(args: readonly string[], flags: readonly Flag[]): OptionsRead {
  const operands: string[] = [];
  const unknown: string[] = [];
  const options = new Map<string, boolean | string[]>();
  for (const { negates, name } of flags) if (negates) options.set(name, true);
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "--") {
      operands.push(...left);
      break;
    }
    if (!isOption(arg)) {
      operands.push(arg);
      continue;
    }
    const { flag, value, more } = recognize(arg, flags);
    if (!flag) unknown.push(arg);
    else if (!flag.takesValue) options.set(flag.name, !flag.negates);
    else {
      const given = value ?? left.shift();
      if (given === undefined) return { operands, options, unknown, unfinished: arg };
      const before = options.get(flag.name);
      options.set(flag.name, [...(Array.isArray(before) ? before : []), given]);
    }
    if (more) left.unshift(more);
  }
  return { operands, options, unknown };
}

interface Recognized {
  readonly flag?: Flag | undefined;
  /** Written in the same word: `--home=/h`, `-ia=1`. */
  readonly value?: string;
  /** The other flags of `-qv`. */
  readonly more?: string;
}

function recognize(arg: string, flags: readonly Flag[]): Recognized {
  const whole = flags.find(({ short, long }) => arg === long || arg === short);
  if (whole) return { flag: whole };
  if (arg.startsWith("--")) {
    const [name, ...rest] = arg.split("=");
    const flag = rest.length > 0 ? flags.find(({ long, takesValue }) => takesValue && long === name) : undefined;
    return { flag, value: rest.join("=") };
  }
  const flag = flags.find(({ short }) => short === arg.slice(0, 2));
  return flag && !flag.takesValue ? { flag, more: `-${arg.slice(2)}` } : { flag, value: arg.slice(2) };
}
