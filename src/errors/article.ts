// "a" or "an", by how the word is said.

/** Said letter by letter, from one that begins with a vowel: "an aitch-tee-tee-pee step". */
const SPELLED = /^(?:http|mcp|html|llm|sql)/i;

/** @example withArticle("http step") // "an http step" */
export const withArticle = (words: string): string =>
  `${/^[aeiou]/i.test(words) || SPELLED.test(words) ? "an" : "a"} ${words}`;
