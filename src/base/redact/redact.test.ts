// What a user would notice: secrets that got out, and ordinary words that did not.
import { describe, expect, it } from "vitest";
import {
  createRedactor,
  isSecretKey,
  REDACTED,
  secretsByName,
  secretsFromEnvironment,
  secretsFromHeaders,
} from "./index.ts";

const secret = "hunter2-very/secret+value";
const redactor = createRedactor({ secrets: [secret, "dk-0123456789", "seven77"], shortSecrets: ["pw42", "abc"] });

describe("known secrets", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  it.each([
    ["inside a sentence", `bad password ${secret}.`, "bad password <redacted>."],
    ["twice", `${secret} ${secret}`, "<redacted> <redacted>"],
    ["in a URL", `https://x/?p=${encodeURIComponent(secret)}&q=1`, "https://x/?p=<redacted>&q=1"],
    ["in a URL with lower-case codes", `p=${encodeURIComponent(secret).toLowerCase()}`, "p=<redacted>"],
    ["in base64 alone", base64(secret), "<redacted>"],
    ["in JSON inside JSON", JSON.stringify(JSON.stringify({ a: secret })), '"{\\"a\\":\\"<redacted>\\"}"'],
    ["of an input with 4 characters, inside other text", "is pw42 right", "is <redacted> right"],
  ])("are hidden %s", (_, text, shown) => expect(redactor.text(text)).toBe(shown));

  it.each(["", "u", "us", "user:", "user-é:"])("are hidden in base64 after %j", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      const out = redactor.text(`Basic ${base64(`${before}${secret}${after}`)}`);
      expect(out).toContain(REDACTED);
      expect(Buffer.from(out.slice(6), "base64").toString()).not.toContain(secret.slice(0, 8));
    }
  });

  it.each(["", "u", "us"])("are hidden in url-safe base64 after %j", (before) => {
    expect(redactor.text(Buffer.from(`${before}${secret}`).toString("base64url"))).toContain(REDACTED);
  });

  it("are hidden as JSON writes them", () => {
    const quoted = createRedactor({ secrets: ['with "quotes" and \n lines'] });
    expect(quoted.text(JSON.stringify({ a: 'x with "quotes" and \n lines y' }))).toBe('{"a":"x <redacted> y"}');
  });

  it.each([
    ["alone", "seven77", REDACTED],
    ["inside other text", "it is seven77 there", "it is seven77 there"],
    ["of an input with 3 characters, alone", "abc", REDACTED],
    ["of an input with 3 characters, inside other text", "abcdef", "abcdef"],
  ])("that are short are hidden only as whole values: %s", (_, text, shown) => expect(redactor.text(text)).toBe(shown));

  it("of a secret input are hidden as a number of four digits too", () => {
    const pin = createRedactor({ secrets: ["5555"], shortSecrets: ["4821"] });
    expect(pin.value({ pin: 4821, port: 5555, said: "4821" })).toEqual({ pin: REDACTED, port: 5555, said: REDACTED });
  });

  it("are hidden when one begins inside another", () => {
    expect(createRedactor({ secrets: ["abcabcabc", "abcabcxyz"] }).text("abcabcabcxyz")).toBe(REDACTED);
  });

  it("are hidden in the names of keys, and no entry is lost", () => {
    expect(redactor.value({ "k pw42": 1, "k dk-0123456789": 2 })).toEqual({ "k <redacted>": 1, "k <redacted> 2": 2 });
  });

  it("are hidden when they are numbers", () => {
    expect(createRedactor({ secrets: [], shortSecrets: ["20481632"] }).value({ pin: 20481632, n: 8 })).toEqual({
      pin: REDACTED,
      n: 8,
    });
  });

  it("can be learned on the way", () => {
    const learning = createRedactor({ secrets: [] });
    expect(learning.value({ a: "xoken-from-header" })).toEqual({ a: "xoken-from-header" });
    learning.learn("xoken-from-header");
    expect(learning.value({ a: "xoken-from-header" })).toEqual({ a: REDACTED });
  });

  it("that say nothing, or are the mark itself, are left alone", () => {
    const odd = createRedactor({ secrets: ["", "1", "true", "redacted"] });
    expect(odd.value(["1", "true", "", "<redacted>"])).toEqual(["1", "true", "", "<redacted>"]);
  });
});

describe("known secrets in other writing", () => {
  const odd = `it's a "pass\tphrase"  & <more>`;
  const hiding = createRedactor({ secrets: [odd] });
  it.each([
    ["a shell's quotes", `echo '${odd.replaceAll("'", "'\\''")}' done`],
    ["tojson", `{"a": "it\\u0027s a \\"pass\\tphrase\\"  \\u0026 \\u003cmore\\u003e"}`],
    ["HTML", "<p>it&#39;s a &#34;pass\tphrase&#34;  &amp; &lt;more&gt;</p>"],
    ["a line whose spaces were collapsed", `echo ${odd.replace(/\s+/g, " ")} done`],
    ["a quoted line whose spaces were collapsed", `echo '${odd.replaceAll("'", "'\\''").replace(/\s+/g, " ")}' done`],
  ])("are hidden in %s", (_, text) => {
    expect(hiding.text(text)).toContain(REDACTED);
    expect(hiding.text(text)).not.toContain("phrase");
  });

  it.each([
    ["at its end", `tail of it: ${secret.slice(0, 16)}`],
    ["before an ellipsis", `head of it: ${secret.slice(0, 16)}…`],
    ["before the words that say so", `head of it: ${secret.slice(0, 16)}… [truncated]`],
    ["at its beginning", `${secret.slice(-16)} and so on`],
    ["behind an ellipsis", `…${secret.slice(-16)} and so on`],
  ])("are hidden in a text that was cut through one %s", (_, text) => {
    const shown = redactor.text(text);
    expect(shown).toContain(REDACTED);
    expect(shown).not.toMatch(/very|hunter|value/);
  });

  it("a few letters at the edge are no half of a secret", () => {
    expect(redactor.text("the first letters are hunt")).toBe("the first letters are hunt");
  });
});

describe("secrets known by their name", () => {
  it.each([
    ["a field", { user: "u", api_key: "a1b2c3d4e5" }, ["a1b2c3d4e5"]],
    ["a field below one", { auth: { value: "very-long-value-1" } }, ["very-long-value-1"]],
    ["JSON served as text", { stdout: '{"token": "tok-98765432"}' }, ["tok-98765432"]],
    [
      "JSON with a number too large",
      { stdout: '{"auth": {"value": "very-long-value-1"}, "n": 1e999}' },
      ["very-long-value-1"],
    ],
    ["an address", { url: "http://bob:pa55w0rd99@h/x?token=lit-123456&page=2" }, ["pa55w0rd99", "lit-123456"]],
    ["a plain word", { password: "required" }, []],
    ["a long text", { secret: "correct horse battery" }, ["correct horse battery"]],
    ["a number that says little", { token: 12 }, []],
    [
      "a script",
      "post({tokens: ['tok-1234567890abc', \"tok-abcdef0987\"], n: 1})",
      ["tok-1234567890abc", "tok-abcdef0987"],
    ],
    ["an assignment", "api_key = 'k-99881122aa'; user = 'alexandra-1'", ["k-99881122aa"]],
    ["a template", "token: '{{ fetch.output.token }}', password: \"$DB_PASSWORD\"", []],
    ["a sentence", "password: 'please give the one of last year'", []],
  ])("are found in %s", (_, value, found) => expect([...new Set(secretsByName(value))]).toEqual(found));

  it("are looked for in as much as a person would write, and not in all of a table", () => {
    let read = 0;
    const table = { token: "tok-77aa88bb" };
    for (let row = 0; row < 20_000; row++)
      Object.defineProperty(table, `row${row}`, {
        enumerable: true,
        get() {
          read++;
          return row;
        },
      });
    expect(secretsByName(table)).toEqual(["tok-77aa88bb"]);
    expect(read).toBeLessThan(10_000);
  });

  it.each(["Ocp-Apim-Subscription-Key", "x-functions-key", "X-RapidAPI-Key"])(
    "are found in JSON that came as text: %s",
    (name) => {
      expect(secretsByName({ stdout: `{"${name}": "k-77aa88bb99"}` })).toEqual(["k-77aa88bb99"]);
    },
  );

  it("are found in a line that comes in pieces, of which none is shown before it has ended", () => {
    const line = `say {"token": "tok-77aa88bb"} to http://ann:pa55w0rd99@host/x, and tok-77aa88bb again`;
    for (let first = 1; first < line.length; first += 7)
      for (let second = first + 1; second < line.length; second += 11) {
        const stream = createRedactor({ secrets: [] }).stream();
        const pieces = [line.slice(0, first), line.slice(first, second), `${line.slice(second)}\nnext`];
        const shown = pieces.map((piece) => stream.push(piece));
        // What is learned in the first piece with its event is not known here.
        const whole = shown.join("") + stream.end();
        expect(whole).toBe('say {"token": "<redacted>"} to http://ann:<redacted>@host/x, and <redacted> again\nnext');
      }
  });

  it("hold back no line that speaks of them without naming one", () => {
    const stream = createRedactor({ secrets: [] }).stream();
    expect(stream.push("Enter the token: ")).toBe("Enter the token: ");
    expect(stream.push(`it's fine\n"a quote" `)).toBe(`it's fine\n"a quote" `);
  });

  it("are left in what is the author's own", () => {
    const learning = createRedactor({ secrets: ["sure-12345678"] });
    learning.learn("named-12345678", "by name");
    learning.learn("sent-12345678");
    const value = { a: "named-12345678", b: "sure-12345678", c: "sent-12345678" };
    expect(learning.value(value)).toEqual({ a: REDACTED, b: REDACTED, c: REDACTED });
    expect(learning.value(value, { keys: "author" })).toEqual({ a: "named-12345678", b: REDACTED, c: REDACTED });
  });
});

describe("tokens by their looks", () => {
  it.each([
    ["Bearer abcdefghijklmnopqrstuvwxyz123456", "Bearer <redacted>"],
    ["authorization: bearer aB3.x_y~z/w+q==", "authorization: bearer <redacted>"],
    ["key sk-ant-api03-AbCdEf0123456789 end", "key <redacted> end"],
    ["sk-abcdefghijklmnopqrstuvwx", "<redacted>"],
    ["ghp_0123456789abcdefABCDEF0123456789abcd", "<redacted>"],
    ["github_pat_11ABCDEFG0123456789_abc", "<redacted>"],
    ["xoxb-123456789012-abcdef", "<redacted>"],
    ["id AKIAIOSFODNN7EXAMPLE", "id <redacted>"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "<redacted>!"],
    ["a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n<redacted>\nb"],
    ["-----BEGIN PRIVATE KEY-----\nMIIE", "<redacted>"],
  ])("hides the token in %j", (text, shown) => expect(createRedactor({ secrets: [] }).text(text)).toBe(shown));

  it.each([
    "the bearer of this letter",
    "Bearer instruments are rare",
    "task-force-management-1234567890123",
    "sk-learn-contrib-projects",
    "risk-adjusted-returns-of-2024-and-later",
    "eyJust.a.word",
    "-----BEGIN of the story-----",
    "an author used 5 tokens, max_tokens 100",
    "AKIA is short",
    "----------",
  ])("leaves %j as it is", (text) => expect(createRedactor({ secrets: ["dk-0123456789"] }).text(text)).toBe(text));
});

describe("keys", () => {
  it.each(
    "api_key apikey apiKey X-Api-Key APIKey OPENAI_API_KEY secret clientSecret client-secret token github_token accessToken GITHUB_TOKEN token2 password dbPassword passwd pwd authorization Authorization auth bearer credential credentials cookie Set-Cookie setCookie set_cookie private_key privateKey sshKey ssh-key session_id sessionId sessionid tokens access_tokens passwords api_keys sshKeys Ocp-Apim-Subscription-Key x-functions-key X-RapidAPI-Key DD-APPLICATION-KEY x-consumer-key signing_key passcode".split(
      " ",
    ),
  )("%s is a secret", (key) => expect(isSecretKey(key)).toBe(true));

  it.each(
    "author authors authority tokens_used max_tokens maxTokens token_count total_tokens tokens_per_minute tokenizer key keys keyboard monkey session sessions secretary passing cookiecutter node_id public_key hash XDG_SESSION_TYPE cache_read_tokens".split(
      " ",
    ),
  )("%s is not", (key) => expect(isSecretKey(key)).toBe(false));

  it("in the plural hide the texts under them, and leave counts", () => {
    const given = { tokens: ["a1", { of: "b2", tries: 3 }], access_tokens: { ci: "c3" }, usage: { tokens: 12 } };
    expect(redactor.value(given)).toEqual({
      tokens: [REDACTED, { of: REDACTED, tries: 3 }],
      access_tokens: { ci: REDACTED },
      usage: { tokens: 12 },
    });
    expect(secretsByName({ tokens: ["tok-77aa88bb", 123456789] })).toEqual(["tok-77aa88bb"]);
  });

  it("hide whatever stands under them, but for what says nothing", () => {
    const value = {
      token: "t",
      auth: { user: "u" },
      password: 1234,
      cookie: ["a"],
      secret: true,
      pwd: null,
      credential: "",
    };
    const mark = REDACTED;
    expect(redactor.value(value)).toEqual({
      token: mark,
      auth: mark,
      password: mark,
      cookie: mark,
      secret: true,
      pwd: null,
      credential: "",
    });
  });

  it("are not looked at in what is the author's, where values still are", () => {
    const value = { token: "mine", auth: { note: `x ${secret}` }, deploy_key: "Bearer abc123def456" };
    expect(redactor.value(value, { keys: "author" })).toEqual({
      token: "mine",
      auth: { note: "x <redacted>" },
      deploy_key: "Bearer <redacted>",
    });
  });
});

describe("a look at a text of JSON", () => {
  const hiding = createRedactor({ secrets: ["long-secret-1", "sh0rt"], shortSecrets: ["4821", 'a\tb"c'] });
  it.each([
    ["a value", { a: "x long-secret-1 y" }],
    ["a short one that is the whole value", { a: "sh0rt" }],
    ["a number", { a: [4821] }],
    ["one that JSON writes otherwise", { a: 'x a\tb"c y' }],
    ["a token", { a: "ghp_0123456789abcdefABCDEF0123456789abcd" }],
    ["a name", { "Ocp-Apim-Subscription-Key": "x" }],
    ["a name in the plural", { access_tokens: ["x"] }],
    ["what is not seen", { a: "long-\u200bsecret-1" }],
  ])("sees %s", (_, value) => {
    expect(hiding.mayHide(JSON.stringify(value))).toBe(true);
    expect(hiding.value(value)).not.toEqual(value);
  });

  it("says that there is nothing, also of very many names", () => {
    const rows = Object.fromEntries(Array.from({ length: 4_000 }, (_, row) => [`key_${row}`, { session: row }]));
    expect(hiding.mayHide(JSON.stringify(rows))).toBe(false);
  });
});

describe("values", () => {
  it("without secrets come back as they are, not as copies", () => {
    const value = { a: [1, { b: "x" }], c: null, d: Number.NaN };
    expect(redactor.value(value)).toBe(value);
  });

  it("are copied only along the way to what changed", () => {
    const kept = { a: 1 };
    const value = { kept, list: [[{ x: secret }]] };
    const out = redactor.value(value) as { kept: object; list: unknown };
    expect(out).toEqual({ kept: { a: 1 }, list: [[{ x: REDACTED }]] });
    expect(out.kept).toBe(kept);
    expect(value.list).toEqual([[{ x: secret }]]);
  });

  it("may contain themselves", () => {
    const value: Record<string, unknown> = { s: secret, token: "x" };
    value.self = value;
    value.list = [value];
    const out = redactor.value(value) as Record<string, unknown>;
    expect(out.s).toBe(REDACTED);
    expect(out.token).toBe(REDACTED);
    expect(out.self).toBe(out);
    expect(value.s).toBe(secret);
  });

  it("may be nested deeper than the stack", () => {
    let value: unknown = secret;
    for (let depth = 0; depth < 100_000; depth++) value = depth % 2 ? [value] : { value };
    let out = redactor.value(value);
    while (typeof out === "object" && out !== null) out = Object.values(out)[0];
    expect(out).toBe(REDACTED);
  });

  it("may share parts a billion times over", () => {
    let value: unknown = [secret];
    for (let depth = 0; depth < 30; depth++) value = [value, value];
    let out = redactor.value(value);
    while (Array.isArray(out)) out = out[1] ?? out[0];
    expect(out).toBe(REDACTED);
  });

  it("keep a key named __proto__ as data", () => {
    const value = JSON.parse(`{"__proto__": {"x": "${secret}"}}`);
    expect(JSON.stringify(redactor.value(value))).toBe('{"__proto__":{"x":"<redacted>"}}');
  });

  it.each([
    ["an error", new Error(`no ${secret}`)],
    ["a map", new Map([["a", secret]])],
    ["a set", new Set([secret])],
    ["a URL", new URL(`https://x/?k=${encodeURIComponent(secret)}`)],
  ])("of other classes are hidden too: %s", (_, value) => {
    const out = JSON.stringify(redactor.value({ value }));
    expect(out).toContain(REDACTED);
    expect(out).not.toContain("hunter2");
  });
});

describe("names that make values secret", () => {
  it("are those of environment variables", () => {
    const env = {
      DEPLOY_KEY: "a1",
      GH_TOKEN: "b2",
      X_SECRET: "c3",
      PGPASSWORD: "d4",
      AWS_CREDENTIALS_FILE: "e5",
      TOKEN: "f6",
      API_KEY: "g7",
    };
    const others = {
      XDG_SESSION_TYPE: "tty",
      PATH: "/bin",
      KEYBOARD: "us",
      TOKENS: "5",
      MONKEY: "m",
      EMPTY_KEY: "",
      UNSET_KEY: undefined,
    };
    expect(secretsFromEnvironment({ ...env, ...others })).toEqual(Object.values(env));
  });

  it("are those of headers, the scheme left out", () => {
    const headers = {
      Authorization: "Bearer tok-1",
      "x-api-key": "k-2",
      accept: "text/html",
      "proxy-authorization": "Basic dXNlcjpwYXNzOjE=",
    };
    expect(secretsFromHeaders(headers)).toEqual(["tok-1", "k-2", "dXNlcjpwYXNzOjE=", "pass:1"]);
    const keys = {
      "X-Acme-Key": "k-3",
      "x-hub-signature": "s-4",
      "Idempotency-Key": "i-5",
      "Sec-WebSocket-Key": "w-6",
    };
    expect(secretsFromHeaders(keys)).toEqual(["k-3", "s-4"]);
  });
});

describe("names of environment variables that were not known", () => {
  it.each([
    ["DB_PASS", "abc-12345"],
    ["GPG_PASSPHRASE", "abc-12345"],
    ["SECRET_KEY_BASE", "abc-12345"],
    ["MYSQL_PWD", "abc-12345"],
  ])("%s", (name, value) => expect(secretsFromEnvironment({ [name]: value })).toEqual([value]));

  it("the password inside DATABASE_URL, encoded and decoded, and nothing else of it", () => {
    expect(secretsFromEnvironment({ DATABASE_URL: "postgres://app:p%40ss-word@db:5432/app" })).toEqual([
      "p%40ss-word",
      "p@ss-word",
    ]);
    expect(secretsFromEnvironment({ HOMEPAGE: "https://example.com/a?b=c", PWD: "/home/somebody" })).toEqual([]);
  });
});

it("a text full of a short secret is hidden in time and memory that grow with its length", () => {
  const hiding = createRedactor({ secrets: [], shortSecrets: ["pw42"] });
  const cost = (characters: number): number => {
    const text = "pw42 ".repeat(characters / 5);
    const before = process.memoryUsage().heapUsed;
    const shown = hiding.text(text);
    expect(shown).not.toContain("pw42");
    expect(shown.length).toBe((characters / 5) * 11);
    return process.memoryUsage().heapUsed - before;
  };
  cost(50_000);
  expect(cost(5_000_000)).toBeLessThan(400 * 1024 * 1024);
});
