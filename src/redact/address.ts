// Addresses carry secrets: passwords before the host, tokens among the parameters.
import { isSecretKey } from "./keys.ts";
import { cellAddresses, isOfCells } from "./postgres-address.ts";

/** Scheme, then userinfo up to the last `@` before the path. */
const USERINFO = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i;

/** The password in an address, and the values of its secret-looking parameters, as they are written and decoded. */
export function secretsFromAddress(address: string): string[] {
  if (!address.includes("://")) return [];
  if (isOfCells(address))
    return cellAddresses(address).flatMap((cell) => (cell === undefined ? [] : secretsFromAddress(cell.url)));
  const [user = "", ...rest] = (USERINFO.exec(address)?.[1] ?? "").split(":");
  // `https://TOKEN@host` has no user beside it.
  const found = rest.length > 0 ? [rest.join(":")] : isUnguessable(user) ? [user] : [];
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  for (const part of query.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (value.length > 0 && isSecretKey(decodedPart(name))) found.push(value.join("="));
  }
  return found.flatMap((text) => [text, decodedPart(text)]).filter((text) => text !== "");
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Between `://` and the last `@` before the path. */
const WITH_USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i;

const ADDRESS_LIKE = /[a-z][a-z0-9+.-]*:\/[^\s"'`]*/gi;

/** A text in which addresses keep only their place: an error about a mistyped command shows it without its password. */
export const withoutAddressSecrets = (text: string): string =>
  text.replace(ADDRESS_LIKE, (address) =>
    // Where the password ends is unclear if it has other signs in it.
    address.includes("@") && !WITH_USERINFO.test(address)
      ? `${address.slice(0, address.indexOf(":"))}:…`
      : placeOfAddress(address),
  );

/** An address without its userinfo, its query and its fragment: what is called, and nothing about the caller. */
export const placeOfAddress = (address: string): string => address.replace(WITH_USERINFO, "$1").replace(/[?#].*$/s, "");

// Which texts can be distinguished from the words of a language.

const LONG_ENOUGH = 8;
const LONG = 20;

/** Whether a text may be hidden wherever it appears: a plain word (`password: required`) would be taken out of every sentence. */
export const isUnguessable = (text: string): boolean =>
  text.length >= LONG || (text.length >= LONG_ENOUGH && /[^A-Za-z\s]/.test(text));
