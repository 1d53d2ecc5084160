// Python's integers have no end. Small ones are numbers, larger ones bigints, and the
// number of bits is limited, because 9 ** 9 ** 9 would not fit into any machine.

import { fail } from "../error.ts";
import { maxBits, spend } from "../limits.ts";

export type Int = number | bigint;

const MAX_DIGITS = 4300;

/** The smallest representation of an integer. */
export function int(n: bigint): Int {
  if (n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(n);
  spend(20);
  if (bitLength(n) > maxBits()) tooLarge();
  return n;
}

/** Digits as the lexer or `int` accept them; signs are the caller's. */
export function parseInteger(digits: string): Int {
  if (digits.length > MAX_DIGITS) tooLarge();
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : int(BigInt(digits));
}

function bitLength(n: bigint): number {
  return (n < 0n ? -n : n).toString(16).length * 4;
}

function tooLarge(): never {
  fail("limit", `An integer of more than ${maxBits()} bits was about to be made.`);
}

export function power(base: bigint, exponent: bigint): Int {
  if (exponent > 1n && base !== 0n && base !== 1n && base !== -1n) {
    if (exponent > BigInt(maxBits()) || bitLength(base) * Number(exponent) > maxBits() * 4) tooLarge();
  }
  return int(base ** exponent);
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

export function modulo(a: bigint, b: bigint): bigint {
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}
