// Whether the name of a key says that its value is a secret: by whole words, in snake, kebab and camel case, and joined.

const WORDS = new Set(
  (
    "secret secrets token password passwords passwd pwd passphrase passcode authorization auth bearer credential credentials cookie cookies " +
    "apikey apikeys privatekey sshkey sessionid setcookie accesskey secretkey accesstoken authtoken refreshtoken idtoken clientsecret " +
    "subscriptionkey functionskey"
  ).split(" "),
);

/**
 * What makes a `key` a secret: two words that mean one only together. Among them headers of gateways before an API
 * (`Ocp-Apim-Subscription-Key`, `x-functions-key`, `X-RapidAPI-Key`, `DD-APPLICATION-KEY`).
 */
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
const COUNTED_AS = /^token (?:count|counts|len|length|size|limit|limits|budget|usage|cost|price|rate)$/;
const PLURAL = /^(.*[^s])s$/;

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
        (WORDS.has(word) && !COUNTED_AS.test(`${word} ${words[index + 1]}`)) ||
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
