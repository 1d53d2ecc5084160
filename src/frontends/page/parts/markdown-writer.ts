// From Markdown to elements that can do no harm: no scripts, no styles, no forms, no images from anywhere, links that
// open beside this page and send no referrer.
import DOMPurify from "dompurify";
import { marked } from "marked";

const PURIFY = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del s a".split(" "),
    ..."table thead tbody tr th td span div sup sub kbd details summary".split(" "),
  ],
  ALLOWED_ATTR: ["href", "title", "align", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
} as const;

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

/** An image is said, not fetched; HTML is shown as it is written. */
const renderer = {
  image: ({ text, href }: { text: string; href: string }): string => `<em>[image: ${escaped(text || href)}]</em>`,
  html: ({ text }: { text: string }): string => escaped(text),
};
marked.use({ renderer, async: false, gfm: true });

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

export function writeMarkdown(text: string): DocumentFragment {
  const written = DOMPurify.sanitize(marked.parse(text) as string, {
    ...PURIFY,
    ALLOWED_TAGS: [...PURIFY.ALLOWED_TAGS],
    ALLOWED_ATTR: [...PURIFY.ALLOWED_ATTR],
  }) as unknown as DocumentFragment;
  // A table has to have a head in Markdown: a blank one is removed.
  for (const head of written.querySelectorAll("thead")) if (head.textContent?.trim() === "") head.remove();
  // A link whose address was taken away leads nowhere, and should not look as if it did.
  for (const link of written.querySelectorAll("a:not([href])")) link.replaceWith(...link.childNodes);
  return written;
}
