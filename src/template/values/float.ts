// JSON has one kind of number, Python two: 6 / 2 is 3.0. A number with a fraction says
// so itself; a float that happens to be whole is kept in this wrapper.

import { Internal, type Kind } from "./value.ts";

export class Float extends Internal {
  readonly kind: Kind = "float";
  constructor(readonly value: number) {
    super();
  }
}

export function float(n: number): number | Float {
  return Number.isInteger(n) ? new Float(n) : n;
}

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
