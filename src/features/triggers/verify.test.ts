// Signatures, against the examples that GitHub and Standard Webhooks publish.
import { describe, expect, it } from "vitest";
import { isGenuine, marksOf, type Verification } from "./verify.ts";

const text = (body: string): Uint8Array => new TextEncoder().encode(body);

describe("GitHub's signature", () => {
  const secret = "It's a Secret to Everybody";
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const given = (over: object = {}, body = "Hello, World!") =>
    isGenuine("github", secret, { headers: { "x-hub-signature-256": signature, ...over }, body: text(body) }, 0);

  it("is right as published", () => expect(given()).toBe(true));
  it.each([
    ["another body", {}, "Hello, World?"],
    ["another signature", { "x-hub-signature-256": signature.replace("7571", "7572") }, undefined],
    ["the digest without its name", { "x-hub-signature-256": signature.slice(7) }, undefined],
    [
      "SHA-1",
      { "x-hub-signature-256": undefined, "x-hub-signature": "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59" },
      undefined,
    ],
    ["none", { "x-hub-signature-256": undefined }, undefined],
  ])("is wrong with %s", (_, over, body) => expect(given(over, body)).toBe(false));
});

describe("a standard webhook", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const sent = 1_614_265_330_000;
  const given = (over: object = {}, now = sent, body = '{"test": 2432232314}') =>
    isGenuine("standard-webhooks", secret, { headers: { ...headers, ...over }, body: text(body) }, now);

  it("is right as published, also beside another signature", () => {
    expect(given()).toBe(true);
    expect(given({ "webhook-signature": `v1,bm9uZQ== ${headers["webhook-signature"]}` })).toBe(true);
  });
  it.each([
    ["five minutes later", 300_000, true],
    ["a second after that", 301_000, false],
    ["five minutes before it was sent", -300_000, true],
    ["a second before that", -301_000, false],
  ])("%s", (_, after, genuine) => expect(given({}, sent + after)).toBe(genuine));
  it.each([
    ["another id", { "webhook-id": "msg_other" }],
    ["another time", { "webhook-timestamp": "1614265331" }],
    ["a time that is none", { "webhook-timestamp": "now" }],
    ["another version", { "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }],
    ["no signature", { "webhook-signature": undefined }],
  ])("is wrong with %s", (_, over) => expect(given(over)).toBe(false));
});

describe("any webhook", () => {
  it.each<Verification>(["github", "standard-webhooks", "token"])("of %s is refused without a secret", (verify) => {
    expect(isGenuine(verify, "", { headers: { authorization: "Bearer " }, body: text("") }, 0)).toBe(false);
  });

  it("with a token needs that token", () => {
    const given = (headers: Record<string, string>) => isGenuine("token", "s3cret", { headers, body: text("") }, 0);
    expect(given({ authorization: "Bearer s3cret" })).toBe(true);
    expect(given({ "x-segno-token": "s3cret" })).toBe(true);
    expect(given({ authorization: "Bearer s3cre" })).toBe(false);
    expect(given({ authorization: "s3cret" })).toBe(false);
    expect(given({ authorization: "Basic s3cret" })).toBe(false);
    expect(given({})).toBe(false);
  });

  it("is known again by what its sender calls it, and GitHub's by its body too", () => {
    const delivery = { headers: { "x-github-delivery": "1", "webhook-id": "2" }, body: text("x") };
    expect(marksOf("github", delivery)).toEqual(["delivery:1", expect.stringMatching(/^body:[0-9a-f]{64}$/)]);
    expect(marksOf("standard-webhooks", delivery)).toEqual(["delivery:2"]);
  });
});
