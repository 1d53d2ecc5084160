// Arithmetic of integers and floats as Python does it.
import { fail } from "../error.ts";
import { maxBits, spend } from "../limits.ts";
import { Float, float } from "./float.ts";
import { isIntNumber, type Value } from "./value.ts";

/** An integer or boolean as an integer, else undefined. */
export function intOf(value: Value): Int | undefined {
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    return isIntNumber(value) ? BigInt(value) : undefined;
  }
  if (typeof value === "bigint") return int(value);
  return typeof value === "boolean" ? Number(value) : undefined;
}

/** Any number or boolean as a JavaScript number, else undefined. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return undefined;
}

/** An integer small enough to count with, else undefined; larger ones become the nearest end. */
export function indexOf(value: Value): number | undefined {
  const whole = intOf(value);
  return typeof whole === "bigint" ? (whole > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER) : whole;
}

export type Arithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "**";

export type Bitwise = "&" | "|" | "^" | "<<" | ">>";

/** Python's operators on the bits of integers; undefined if one side is no integer. */
export function bitwise(operator: Bitwise, left: Value, right: Value): Value {
  const a = intOf(left);
  const b = intOf(right);
  if (a === undefined || b === undefined) return undefined;
  const result = BITWISE[operator](BigInt(a), BigInt(b));
  const isShift = operator === "<<" || operator === ">>";
  return typeof left === "boolean" && typeof right === "boolean" && !isShift ? result !== 0n : int(result);
}

const BITWISE: Readonly<Record<Bitwise, (x: bigint, y: bigint) => bigint>> = {
  "&": (x, y) => x & y,
  "|": (x, y) => x | y,
  "^": (x, y) => x ^ y,
  "<<": (x, y) => shifted(x, y),
  ">>": (x, y) => x >> notNegative(y),
};

function shifted(x: bigint, y: bigint): bigint {
  if (bitLength(x) + Number(notNegative(y)) > maxBits()) tooLarge();
  return x << y;
}

const notNegative = (count: bigint): bigint =>
  count < 0n ? fail("type", "An integer cannot be shifted by a negative count.") : count;

/** `~x`, or undefined if it is no integer. */
export function inverted(value: Value): Value {
  const whole = intOf(value);
  return whole === undefined ? undefined : int(-BigInt(whole) - 1n);
}

/** The result, or undefined if one side is no number. */
export function arithmetic(operator: Arithmetic, left: Value, right: Value): Value {
  const a = intOf(left);
  const b = intOf(right);
  if (a !== undefined && b !== undefined) return integerArithmetic(operator, a, b);
  const x = a === undefined ? numberOf(left) : finite(Number(a));
  const y = b === undefined ? numberOf(right) : finite(Number(b));
  if (x === undefined || y === undefined) return undefined;
  return float(FLOAT_ARITHMETIC[operator](x, y));
}

const finite = (n: number): number => (Number.isFinite(n) ? n : fail("type", "The integer is too large for a float."));

function integerArithmetic(operator: Arithmetic, a: Int, b: Int): Value {
  const small = typeof a === "number" && typeof b === "number" ? smallArithmetic(operator, a, b) : undefined;
  if (small !== undefined && Number.isSafeInteger(small)) return small === 0 ? 0 : small;
  return INTEGER_ARITHMETIC[operator](BigInt(a), BigInt(b));
}

const INTEGER_ARITHMETIC: Readonly<Record<Arithmetic, (x: bigint, y: bigint) => Value>> = {
  "+": (x, y) => int(x + y),
  "-": (x, y) => int(x - y),
  "*": (x, y) => int(x * y),
  "/": (x, y) => float(finite(divide(Number(x), Number(y)))),
  "//": (x, y) => int(floorDivide(x, nonZero(y))),
  "%": (x, y) => int(modulo(x, nonZero(y))),
  "**": (x, y) => (y < 0n ? float(floatPower(Number(x), Number(y))) : power(x, y)),
};

/** The cases a number can hold; the caller checks that the result was exact. */
function smallArithmetic(operator: Arithmetic, a: number, b: number): number | undefined {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  return operator === "*" ? a * b : undefined;
}

const FLOAT_ARITHMETIC: Readonly<Record<Arithmetic, (x: number, y: number) => number>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": (x, y) => divide(x, y),
  "//": (x, y) => Math.floor((x - floatModulo(x, y)) / y + 0.5),
  "%": (x, y) => floatModulo(x, y),
  "**": (x, y) => floatPower(x, y),
};

function floatPower(x: number, y: number): number {
  if (x === 0 && y < 0) fail("type", "0 cannot be raised to a negative power.");
  if (x === 1 || y === 0) return 1;
  const result = exactPower(x, y) ?? x ** y;
  if (Number.isNaN(result) && !Number.isNaN(x) && !Number.isNaN(y)) {
    fail("type", "A negative number cannot be raised to a fraction.");
  }
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) fail("type", "The power is too large.");
  return result;
}

function floatModulo(x: number, y: number): number {
  const rest = x % nonZeroFloat(y);
  if (rest === 0) return y < 0 ? -0 : 0;
  return rest < 0 !== y < 0 ? rest + y : rest;
}

const divide = (x: number, y: number): number => x / nonZeroFloat(y);

const nonZeroFloat = (y: number): number => (y === 0 ? fail("type", "Division by zero.") : y);

const nonZero = (y: bigint): bigint => (y === 0n ? fail("type", "Division by zero.") : y);

export function negate(value: Value): Value {
  const whole = intOf(value);
  if (whole !== undefined) return typeof whole === "number" ? (whole === 0 ? 0 : -whole) : int(-whole);
  const n = numberOf(value);
  return n === undefined ? undefined : float(-n);
}

const MAX_EXPONENT = 64;

/**
 * Powers of floats, rounded once. The engine's own `**` is often off by the last digit, where Python's is not; whole
 * exponents are computed exactly with bigints instead. x ** y for whole and half exponents of moderate size, else
 * undefined.
 */
function exactPower(x: number, y: number): number | undefined {
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

// Python's integers have no end. Small ones are numbers, larger ones bigints, and the
// number of bits is limited, because 9 ** 9 ** 9 would not fit into any machine.

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

const bitLength = (n: bigint): number => (n < 0n ? -n : n).toString(16).length * 4;

function tooLarge(): never {
  fail("limit", `An integer of more than ${maxBits()} bits was about to be made.`);
}

function power(base: bigint, exponent: bigint): Int {
  if (exponent > 1n && base !== 0n && base !== 1n && base !== -1n) {
    if (exponent > BigInt(maxBits()) || bitLength(base) * Number(exponent) > maxBits() * 4) tooLarge();
  }
  return int(base ** exponent);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function modulo(a: bigint, b: bigint): bigint {
  const rest = a % b;
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
}
