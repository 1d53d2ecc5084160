// Compares a text with a secret in a time that says nothing about the secret.
import { createHash, timingSafeEqual } from "node:crypto";

/** By digests: texts of any length are compared in the same time. */
export const isSameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(createHash("sha256").update(given).digest(), createHash("sha256").update(wanted).digest());
