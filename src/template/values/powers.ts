// Powers of floats, rounded once. The engine's own `**` is often off by the last digit,
// where Python's is not; whole exponents are computed exactly with bigints instead.

const MAX_EXPONENT = 64;

/** x ** y for whole and half exponents of moderate size, else undefined. */
export function exactPower(x: number, y: number): number | undefined {
  if (!Number.isFinite(x) || x === 0 || Math.abs(y) > MAX_EXPONENT) return undefined;
  if (Number.isInteger(y)) return wholePower(x, y);
  return x > 0 && Number.isInteger(y * 2) ? Math.sqrt(wholePower(x, y * 2)) : undefined;
}

function wholePower(x: number, exponent: number): number {
  const { mantissa, shift } = binaryOf(Math.abs(x));
  const size = Math.abs(exponent);
  const power = mantissa ** BigInt(size);
  const sign = x < 0 && size % 2 === 1 ? -1 : 1;
  if (exponent >= 0) return sign * scaled(power, shift * size);
  const digits = power.toString(2).length + 128;
  return sign * scaled((1n << BigInt(digits)) / power, -digits - shift * size);
}

/** A positive number as an integer times a power of two. */
function binaryOf(x: number): { readonly mantissa: bigint; readonly shift: number } {
  let value = x;
  let shift = 0;
  while (!Number.isInteger(value)) {
    value *= 2;
    shift--;
  }
  return { mantissa: BigInt(value), shift };
}

function scaled(n: bigint, shift: number): number {
  // Cut to 128 bits first: plenty for correct rounding, and no overflow on the way.
  const excess = n.toString(2).length - 128;
  const cut = excess > 0 ? n >> BigInt(excess) : n;
  let result = Number(cut);
  let rest = shift + Math.max(0, excess);
  for (; rest > 1000; rest -= 1000) result *= 2 ** 1000;
  for (; rest < -1000; rest += 1000) result *= 2 ** -1000;
  return result * 2 ** rest;
}
