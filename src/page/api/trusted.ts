// The one policy by which this page makes script addresses: its own files, nothing else.

interface Policy {
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}

const factory = (globalThis as { readonly trustedTypes?: Factory }).trustedTypes;

const ownOnly = (url: string): string => {
  if (!/^\/assets\/[\w-]+\.js$/.test(url)) throw new TypeError(`${url} is not a script of this page`);
  return url;
};

const policy = factory?.createPolicy("segno", { createScriptURL: ownOnly });

export const scriptAddress = (url: string): string => policy?.createScriptURL(url) ?? ownOnly(url);
