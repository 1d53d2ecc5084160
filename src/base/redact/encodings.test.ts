// The ways in which tools write a secret, and what may stand in it without being seen.
import { execFileSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { createRedactor } from "./index.ts";

const SECRET = `Zq9k "Wm'v/ö&<7>x tail`;
const hidden = (text: string, secret = SECRET): string => createRedactor({ secrets: [secret] }).text(text);

describe("a secret is hidden as it is written", () => {
  it.each([
    ["by html.escape of Python", "Zq9k &quot;Wm&#x27;v/ö&amp;&lt;7&gt;x tail"],
    ["in HTML with numbers for what is not ASCII", "Zq9k &quot;Wm&#39;v/&#246;&amp;&lt;7&gt;x tail"],
    ["in HTML with hexadecimal numbers", "Zq9k &quot;Wm&#x27;v/&#xf6;&amp;&lt;7&gt;x tail"],
    ["in HTML with names", "Zq9k &quot;Wm&apos;v/ö&amp;&lt;7&gt;x tail"],
    ["by json.dumps of Python", `Zq9k \\"Wm'v/\\u00f6&<7>x tail`],
    ["by a writer of JSON with large letters", `Zq9k \\"Wm'v/\\u00F6&<7>x tail`],
    ["by json_encode of PHP", `Zq9k \\"Wm'v\\/\\u00f6&<7>x tail`],
    ["by shlex.quote of Python", `'Zq9k "Wm'"'"'v/ö&<7>x tail'`],
    ["by export -p of a shell", `"Zq9k \\"Wm'v/ö&<7>x tail"`],
    ["in JSON with numbers for signs", `Zq9k \\u0022Wm\\u0027v\\u002F\\u00f6\\u0026<7>x tail`],
    ["in JSON inside JSON", `Zq9k \\\\\\"Wm'v/\\\\u00f6&<7>x tail`],
    ["in HTML with decimal numbers for signs", "Zq9k &#34;Wm&#39;v&#47;&#246;&#38;<7>x tail"],
    ["in HTML with hexadecimal numbers for signs", "Zq9k &#x22;Wm&#x27;v&#x2F;&#xF6;&amp;<7>x tail"],
    ["in HTML inside HTML", "Zq9k &amp;quot;Wm&amp;#39;v/ö&amp;amp;&amp;lt;7&amp;gt;x tail"],
    ["in an address inside an address", "Zq9k%2520%2522Wm%2527v%252F%25C3%25B6%2526%253C7%253Ex%2520tail"],
    ["by printf %q of a shell", `Zq9k\\ \\"Wm\\'v/ö\\&\\<7\\>x\\ tail`],
    ["by a shell in a plain locale", `Zq9k "Wm\\'v/\\303\\266&<7>x tail`],
    ["as bytes of Python", `Zq9k "Wm\\'v/\\xc3\\xb6&<7>x tail`],
    ["with octal numbers for signs", `Zq9k \\042Wm\\047v\\057ö\\046<7>x tail`],
    ["in HTML with names in large letters", "Zq9k &QUOT;Wm'v/ö&AMP;&LT;7&GT;x tail"],
    ["with quotes written twice, as YAML and SQL do", `'Zq9k "Wm''v/ö&<7>x tail'`],
    ["with quotes written twice, as CSV does", `"Zq9k ""Wm'v/ö&<7>x tail"`],
    ["wrapped where it has a space", `Zq9k\n  "Wm'v/ö&<7>x tail`],
  ])("%s, whole or in pieces", (_, written) => {
    const text = `a ${written} b`;
    // What quotes it from outside is no part of it.
    const whole = /^a (['"]?)<redacted>\1 b$/;
    expect(hidden(text)).toMatch(whole);
    for (let cut = 1; cut < text.length; cut++) {
      const stream = createRedactor({ secrets: [SECRET] }).stream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toMatch(whole);
    }
  });

  it("by the shell that is here", () => {
    const quoted = execFileSync("bash", ["-c", 'printf %q "$1"', "bash", "abc def;#1~{x,y}!*"], { encoding: "utf8" });
    expect(hidden(`token ${quoted}`, "abc def;#1~{x,y}!*")).toBe("token <redacted>");
  });
});

const wrapped = (text: string, width: number, end = "\n"): string =>
  text.replace(new RegExp(`.{${width}}(?=.)`, "g"), (line) => line + end);

describe("base64 in lines", () => {
  const LONG = Array.from({ length: 30 }, (_, index) => `part${index * 7919}`).join("-");
  const cases = [64, 76].flatMap((width) =>
    ["\n", "\r\n", "\\n"].flatMap((end) => [7, 40, 41, 42, 55].map((before) => [width, end, before] as const)),
  );
  it.each(cases)("of %i, ended by %j, hides a secret after %i other bytes", (width, end, before) => {
    for (const secret of [SECRET, LONG]) {
      const text = wrapped(
        Buffer.from(`${"x".repeat(before)}${secret}${"y".repeat(20)}`).toString("base64"),
        width,
        end,
      );
      const shown = hidden(text, secret);
      expect(shown).toContain("<redacted>");
      const left = shown.replaceAll(end, "").split("<redacted>");
      expect(left.map((part) => Buffer.from(part, "base64").toString()).join("")).not.toContain(secret.slice(4, 12));
      expect(left.join("").length).toBeLessThan(((before + 24) * 4) / 3 + 4);
    }
  });

  it("is caught when it comes in pieces, wherever they are cut", () => {
    const text = wrapped(Buffer.from(`${"x".repeat(45)}${SECRET} and more of it`).toString("base64"), 64);
    const core = Buffer.from(SECRET.slice(3, 18)).toString("base64").slice(0, 12);
    for (let cut = 1; cut < text.length; cut++) {
      const stream = createRedactor({ secrets: [SECRET] }).stream();
      const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
      expect(shown).toContain("<redacted>");
      expect(shown.replaceAll("\n", "")).not.toContain(core);
    }
  });
});

describe("what a terminal does not show", () => {
  const TOKEN = "Zq9k7Wmv-0123456";
  it.each([
    ["a colour", "\u001b[0m"],
    ["a title", "\u001b]0;title\u0007"],
    ["a zero character", "\u0000"],
    ["a mark of direction", "\u202e"],
    ["a space without width", "\u200b"],
    ["a selector", "\ufe0f"],
    ["a filler", "\u3164"],
    ["a tag", "\u{e0041}"],
    ["several of them", "\u0000\u001b[31m\u200b"],
  ])("%s inside a secret does not hide it from redaction, whole or in pieces", (_, unseen) => {
    const text = `it is ${TOKEN.slice(0, 5)}${unseen}${TOKEN.slice(5, 9)}${unseen}${TOKEN.slice(9)}.`;
    const redactor = createRedactor({ secrets: [TOKEN] });
    expect(redactor.text(text)).toBe("it is <redacted>.");
    expect(redactor.metIn(JSON.stringify({ text })).secrets).toEqual([TOKEN]);
    for (let cut = 1; cut < text.length; cut++) {
      // A decoder of bytes gives no half of a character.
      if (/[\udc00-\udfff]/.test(text.charAt(cut))) continue;
      const stream = redactor.stream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe("it is <redacted>.");
    }
  });

  it("stays where there is no secret", () =>
    expect(hidden("\u001b[31mred\u001b[0m and \u0000")).toBe("\u001b[31mred\u001b[0m and \u0000"));

  it.each(["\u001b]", "a\u0000", `${"A".repeat(64)}\n`])(
    "%j, however often, costs searches and copies that grow with the text",
    (one) => {
      const redactor = createRedactor({ secrets: [TOKEN] });
      const searches = (text: string): number => {
        const searching = vi.spyOn(RegExp.prototype, "exec");
        const copying = vi.spyOn(String.prototype, "slice");
        try {
          redactor.text(text);
          const copied = copying.mock.results.reduce((total, { value }) => total + String(value).length, 0);
          return searching.mock.calls.length + copied;
        } finally {
          searching.mockRestore();
          copying.mockRestore();
        }
      };
      searches(one);
      const few = searches(one.repeat(1_000));
      expect(searches(one.repeat(8_000))).toBeLessThan(9 * few + 1_000);
    },
  );

  it("zero bytes are passed over many at once where JSON writes them, and a secret behind them is found", () => {
    const redactor = createRedactor({ secrets: [TOKEN] });
    const text = `${"\u0000".repeat(20_000)}${TOKEN.slice(0, 9)}\u0000\u0001${TOKEN.slice(9)}`;
    const json = JSON.stringify({ text });
    const searching = vi.spyOn(RegExp.prototype, "exec");
    try {
      expect(redactor.metIn(json).secrets).toEqual([TOKEN]);
      expect(searching.mock.calls.length).toBeLessThan(1_000);
    } finally {
      searching.mockRestore();
    }
    expect(redactor.text(json)).toBe(`{"text":"${"\\u0000".repeat(20_000)}<redacted>"}`);
  });

  it("millions of characters that nobody sees are passed over without a search for each", () => {
    const redactor = createRedactor({ secrets: [TOKEN] });
    redactor.text("a\u0000b");
    const searching = vi.spyOn(RegExp.prototype, "exec");
    try {
      for (const text of ["\u0000".repeat(20_000), "a\u0000".repeat(20_000)]) {
        expect(redactor.text(`${text}${TOKEN.slice(0, 9)}\u0000\u0000${TOKEN.slice(9)}`)).toBe(`${text}<redacted>`);
        expect(searching.mock.calls.length).toBeLessThan(1_000);
      }
    } finally {
      searching.mockRestore();
    }
  });
});
