// Whether the name of a key says that its value is a secret: by whole words, in snake, kebab and camel case, and joined.

const WORDS = new Set(
  (
    "secret secrets token password passwords passwd pwd passphrase authorization auth bearer credential credentials cookie cookies " +
    "apikey apikeys privatekey sshkey sessionid setcookie accesskey secretkey accesstoken authtoken refreshtoken idtoken clientsecret"
  ).split(" "),
);

/** Two words that mean a secret only together: a `key` or a `session` alone does not. */
const PAIRS = new Set(["api key", "api keys", "private key", "ssh key", "access key", "session id"]);

/** `XApiKey2` → x, api, key, 2. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/([A-Za-z])([0-9])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** Names repeat from value to value; the answer for each is kept, up to this many. */
const REMEMBERED = 5_000;
const answers = new Map<string, boolean>();

/** `github_token`, `X-Api-Key` and `apikey` are; `author`, `tokens_used` and `max_tokens` are not. */
export function isSecretKey(name: string): boolean {
  let answer = answers.get(name);
  if (answer === undefined) {
    const words = wordsOf(name);
    answer = words.some((word, index) => WORDS.has(word) || PAIRS.has(`${word} ${words[index + 1]}`));
    if (answers.size >= REMEMBERED) answers.clear();
    answers.set(name, answer);
  }
  return answer;
}
