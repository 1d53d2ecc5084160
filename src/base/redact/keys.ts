// What says that a value is a secret: the name of its key, by whole words in snake, kebab and camel case, and joined; and
// its place in an address, such as a password before the host.
import { cellAddresses, isOfCells } from "./postgres-address.ts";

const WORDS = new Set(
  (
    "secret secrets token password passwords passwd pwd passphrase passcode authorization auth bearer credential credentials cookie cookies " +
    "apikey apikeys privatekey sshkey sessionid setcookie accesskey secretkey accesstoken authtoken refreshtoken idtoken clientsecret " +
    "subscriptionkey functionskey"
  ).split(" "),
);

/** Words that make a `key` a secret, among them of headers of gateways before an API (`X-RapidAPI-Key`). */
const SECRET_KEYS =
  "api private ssh access subscription functions function rapidapi application consumer signing encryption master".split(
    " ",
  );
const PAIRS = new Set([...SECRET_KEYS.map((word) => `${word} key`), "api keys", "session id"]);

/** Beside a plural these say that tokens are counted, not given: `max_tokens`, `tokens_used`, `total_tokens`. */
const COUNTING = new Set(
  (
    "max min total count counts used usage limit limits left remaining budget per cost price number num of in out input output " +
    "prompt completion cached cache read write creation reasoning thinking context window estimated spent rate avg average sum"
  ).split(" "),
);
const COUNTED_AS = /token (?:count|counts|len|length|size|limit|limits|budget|usage|cost|price|rate)$/;
const PLURAL = /^(.*[^s])s$/;
/** Written together with what stands before it: `dbpassword`, `PGPASSWORD`, `bearertoken`. */
const JOINED = /.(?:password|passwd|secret|token|apikey)$/;

/** What stands under a name: nothing secret, a secret, or secrets among its texts. */
export type Secrecy = "none" | "all" | "texts";

/**
 * What every such name has in it: an output may have hundreds of thousands of others. As `toLowerCase` has it, of any
 * letters: it makes a `k` of the sign for kelvin.
 */
const HINT = new RegExp(
  `secret|token|passw|pwd|passphrase|passcode|auth|bearer|credential|cookie|(?:${SECRET_KEYS.join("|")})[^a-z0-9]*key|session[^a-z0-9]*id`.replaceAll(
    "k",
    "[k\u212a]",
  ),
  "i",
);

/** Whether a text may have such a name in it; false is sure. */
export const mayNameSecret = (text: string): boolean => HINT.test(text);

/** Names repeat from value to value; the answer for each is kept, up to this many. */
const REMEMBERED = 5_000;
const answers = new Map<string, Secrecy>();

/**
 * `github_token` and `X-Api-Key` are secrets; of `access_tokens` the texts are, since a number there is a count;
 * `author`, `tokens_used` and `max_tokens` are none.
 */
export function secrecyOf(name: string): Secrecy {
  if (!HINT.test(name)) return "none";
  let answer = answers.get(name);
  if (answer === undefined) {
    // `XApiKey2` → x, api, key, 2.
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
      .replace(/([A-Za-z])([0-9])/g, "$1 $2")
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    const isOne = words.some(
      (word, index) =>
        ((WORDS.has(word) || JOINED.test(word)) && !COUNTED_AS.test(`${word} ${words[index + 1]}`)) ||
        PAIRS.has(`${word} ${words[index + 1]}`),
    );
    answer = isOne ? "all" : isPlural(words) ? "texts" : "none";
    if (answers.size >= REMEMBERED) answers.clear();
    answers.set(name, answer);
  }
  return answer;
}

export const isSecretKey = (name: string): boolean => secrecyOf(name) !== "none";

/** A plural is a secret as its singular is, unless it is counted. */
function isPlural(words: readonly string[]): boolean {
  if (words.some((word) => COUNTING.has(word))) return false;
  return words.some((word, index) => {
    const one = PLURAL.exec(word)?.[1];
    return one !== undefined && (WORDS.has(one) || PAIRS.has(`${words[index - 1]} ${one}`));
  });
}

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
