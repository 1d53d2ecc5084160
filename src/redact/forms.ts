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

/** What JavaScript leaves alone and other languages' encoders do not. */
const strictly = (text: string): string =>
  text.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function urlForms(secret: string): string[] {
  let component: string;
  try {
    component = encodeURIComponent(secret);
  } catch {
    return []; // a lone surrogate has no URL form
  }
  const upper = [component, strictly(component), strictly(component).replaceAll("%2F", "/"), encodeURI(secret)];
  const all = [...upper, ...upper.map((text) => text.replaceAll("%20", "+"))];
  return [...all, ...all.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/** What is the same in base64 whatever stands around the secret, for the three ways it can lie across groups. */
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

export function formsOf(secret: string): Form[] {
  const once = JSON.stringify(secret).slice(1, -1);
  const written = [secret, secret.trim(), once];
  // Texts that are shown on one line lose tabs, line breaks and double spaces.
  const texts = [...written, ...written.map((text) => text.replace(/\s+/g, " ").trim()), ...urlForms(secret)];
  const forms = new Map<string, Form>();
  for (const form of [...texts.map(plain), ...base64Forms(secret)])
    if (!forms.has(form.text)) forms.set(form.text, form);
  return [...forms.values()];
}
