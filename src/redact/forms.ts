// The forms in which one secret is looked for in a text as it is: itself, in JSON, with its spaces collapsed, encoded for
// URLs, and inside base64. All are plain texts to look for, so that finding them stays one pass over the input. Every other
// way to escape or quote one is found in the decoded text (decoded.ts).

/** A text to look for. The first and last character of a base64 form may hold a few bits of the secret and go with it. */
export interface Form {
  readonly text: string;
  readonly before: boolean;
  readonly after: boolean;
  readonly isBase64: boolean;
}

const plain = (text: string): Form => ({ text, before: false, after: false, isBase64: false });

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What JavaScript leaves alone and other languages' encoders do not. */
const strictly = (text: string): string =>
  text.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const lowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

/** Texts that are shown on one line lose tabs, line breaks and double spaces. */
const collapsed = (text: string): string => text.replace(/\s+/g, " ").trim();

function urlForms(secret: string): string[] {
  let component: string;
  try {
    component = encodeURIComponent(secret);
  } catch {
    return []; // a lone surrogate has no URL form
  }
  const upper = [component, strictly(component), strictly(component).replaceAll("%2F", "/"), encodeURI(secret)];
  const all = [...upper, ...upper.map((text) => text.replaceAll("%20", "+"))];
  return [...all, ...all.map(lowerHex)];
}

/**
 * The part of a base64 text that is the same whatever stands before and after the secret, for the three ways in which
 * the secret can lie across groups of three bytes.
 */
function base64Forms(secret: string): Form[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const total = shift + bytes.length;
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const first = Math.ceil((shift * 8) / 6);
    const core = whole.slice(first, Math.floor((total * 8) / 6));
    const edges = { before: shift > 0, after: total % 3 !== 0, isBase64: true };
    const urlSafe = core.replaceAll("+", "-").replaceAll("/", "_");
    return [core, urlSafe, encodeURIComponent(core)].map((text) => ({ text, ...edges }));
  });
}

/** Every form of a secret, the secret itself first, each text once. */
export function formsOf(secret: string): Form[] {
  const once = escaped(secret);
  const written = [secret, secret.trim(), once];
  const texts = [...written, ...written.map(collapsed), ...urlForms(secret)];
  const forms = new Map<string, Form>();
  for (const form of [...texts.map(plain), ...base64Forms(secret)])
    if (!forms.has(form.text)) forms.set(form.text, form);
  return [...forms.values()];
}
