// JSON has one kind of number, Python two: 6 / 2 is 3.0. A number with a fraction says
// so itself; a float that happens to be whole is kept in this wrapper.

import { fail } from "../error.ts";
import { Internal, type Kind } from "./value.ts";

export class Float extends Internal {
  readonly kind: Kind = "float";
  constructor(readonly value: number) {
    super();
  }
}

export const float = (n: number): number | Float => (Number.isInteger(n) ? new Float(n) : n);

/** As Python's repr: shortest digits that read back, exponent below 1e-4 and from 1e16. */
export function floatText(n: number): string {
  if (Number.isNaN(n)) return "nan";
  if (!Number.isFinite(n)) return n > 0 ? "inf" : "-inf";
  if (n === 0) return Object.is(n, -0) ? "-0.0" : "0.0";
  const [mantissa = "", power = "0"] = n.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  if (Number.isInteger(n)) return `${BigInt(n)}.0`;
  const negative = n < 0 ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${negative}0.${"0".repeat(-exponent - 1)}${digits}`;
  return `${negative}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

// Decimal digits of a float, rounded as Python rounds: exact value, halves to even.
// JavaScript's toFixed rounds exact halves up, which is the only difference.

const MAX_DIGITS = 100;

/** Like `'%.2f'`, without a sign for zero only if the number has none. */
export function fixed(n: number, digits: number): string {
  if (!Number.isFinite(n)) return Number.isNaN(n) ? "nan" : n > 0 ? "inf" : "-inf";
  if (digits > MAX_DIGITS) fail("limit", `More than ${MAX_DIGITS} decimal places were asked for.`);
  const sign = n < 0 || Object.is(n, -0) ? "-" : "";
  const size = Math.abs(n);
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
  return sign + (isHalf(size, digits) ? halfToEven(size, digits) : size.toFixed(digits));
}

/** Exactly between two neighbours: only possible if the binary fraction ends right after `digits` places. */
function isHalf(size: number, digits: number): boolean {
  if (digits > 50) return false;
  const scaled = size * 2 ** (digits + 1);
  return Number.isInteger(scaled) && size.toFixed(digits + 1).endsWith("5");
}

function halfToEven(size: number, digits: number): string {
  const whole = BigInt(size.toFixed(digits + 1).replace(".", "")) / 10n;
  const even = whole % 2n === 0n ? whole : whole + 1n;
  const text = String(even).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Python's round(n, digits) of a float. */
export function roundFloat(n: number, digits: number): number {
  if (!Number.isFinite(n)) return n;
  if (digits > 22) return n;
  if (digits >= 0) return Number(fixed(n, digits));
  if (digits < -308) return n < 0 ? -0 : 0;
  const unit = 10 ** -digits;
  return Number(fixed(n / unit, 0)) * unit;
}

/** Like `'%.3e'`. */
export function exponential(n: number, digits: number): string {
  if (!Number.isFinite(n)) return fixed(n, 0);
  if (digits > MAX_DIGITS) fail("limit", `More than ${MAX_DIGITS} decimal places were asked for.`);
  const [mantissa = "", power = "+0"] = n.toExponential(digits).split("e");
  const sign = Object.is(n, -0) ? "-" : "";
  return `${sign}${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/** Like `'%.6g'`: the shorter of the two, without zeros at the end unless `alternate`. */
export function general(n: number, digits: number, alternate = false): string {
  if (!Number.isFinite(n)) return fixed(n, 0);
  const precision = Math.max(1, digits);
  const scientific = exponential(n, precision - 1);
  const exponent = n === 0 ? 0 : Number(scientific.slice(scientific.indexOf("e") + 1));
  const plain = exponent >= -4 && exponent < precision;
  const text = plain ? fixed(n, precision - 1 - exponent) : scientific;
  if (alternate) return text;
  const [number = "", power] = text.split("e");
  const short = number.includes(".") ? number.replace(/\.?0+$/, "") : number;
  return power === undefined ? short : `${short}e${power}`;
}
