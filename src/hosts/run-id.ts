// Names of runs: 26 letters and digits that sort by time (a ULID), without the letters that are read as digits.
import { randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FORMAT = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** 10 characters of time, 16 of chance. */
export function newRunId(now: number = Date.now(), random: Uint8Array = randomBytes(10)): string {
  let time = "";
  for (let rest = now, digit = 0; digit < 10; digit += 1) {
    time = DIGITS[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let bits = 0n;
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let chance = "";
  for (let digit = 0; digit < 16; digit += 1) {
    chance = DIGITS[Number(bits & 31n)] + chance;
    bits >>= 5n;
  }
  return time + chance;
}

export const isRunId = (text: string): boolean => FORMAT.test(text);
