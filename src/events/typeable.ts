// Names that can be typed, printed and put into an address. An item's id may be any text, and no terminal and no address takes
// a zero character or half of a surrogate pair: these stand as escapes of JSON, `each[lone\ud800]`.

/** What cannot be typed, and a backslash that would be read as the beginning of an escape: two names stay two. */
const NOT_TYPEABLE = /\0|\p{Surrogate}|\\(?=u[0-9a-f]{4})/giu;

export const typeable = (text: string): string =>
  text.replace(NOT_TYPEABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The text that is typed so. */
export const fromTyped = (typed: string): string =>
  typed.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
