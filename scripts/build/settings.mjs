// What all bundles have in common, and what all bundles of the program have.

export const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};

/** Zod's messages in fifty languages, 280 KB of which none is used: findings are written by Segno. */
const withoutLocales = {
  name: "without locales",
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

export const program = {
  ...common,
  splitting: true,
  format: "esm",
  // Native, or there only when the user installed it.
  external: ["libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk"],
  plugins: [withoutLocales],
};
