// Which texts can be distinguished from the words of a language.
const LONG_ENOUGH = 8;
const LONG = 20;

/**
 * Whether a text that stood under a secret-looking name may be hidden wherever it appears: a plain word (`password: required`)
 * would take that word out of every sentence.
 */
export const isUnguessable = (text: string): boolean =>
  text.length >= LONG || (text.length >= LONG_ENOUGH && /[^A-Za-z\s]/.test(text));
