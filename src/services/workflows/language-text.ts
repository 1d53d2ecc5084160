// The texts of `segno://language`, its pages, and the pages of docs/ that they link to. Links lead to resources.
import { NODE_TYPES } from "../../language/json-schema.ts";
import { DOCS, type DocsSection, sectionsAt, sectionsOf } from "./docs-text.ts";
import { LANGUAGE_PAGES, type LanguagePage } from "./language-pages.ts";

/** Of one page, in characters. */
export const LONGEST_PAGE = 10_000;

const ADDRESS = "segno://language";

interface Cut {
  readonly page: string;
  readonly sections: readonly DocsSection[];
}

function cutOf(from: string): Cut {
  const [, page = "", anchor, only, title] = /^([\w-]+)(?:#([\w-]+))?( only)?(?: as (.+))?$/.exec(from) ?? [];
  const [first, ...rest] = sectionsAt(page, anchor);
  if (!first) return { page, sections: [] };
  const named = title === undefined ? first : { ...first, heading: title };
  return { page, sections: only === undefined ? [named, ...rest] : [named] };
}

/** Undefined if there is no page of that name. */
export function languagePage(name: string): string | undefined {
  const page = LANGUAGE_PAGES.find((one) => one.name === name);
  if (!page) return undefined;
  const texts = page.from.map((from) => textOf(cutOf(from)));
  return `${[`# ${page.title}`, page.about, ...texts, seeAlso(page)].join("\n\n")}\n`;
}

function seeAlso({ name }: LanguagePage): string {
  const types = name === "groups" ? ["parallel", "for_each"] : NODE_TYPES.filter((type) => type === name);
  const schemas = types.map((type) => `segno://schema/step/${type}`).join(", ");
  return `${schemas === "" ? "" : `As JSON Schema: ${schemas}. `}All pages: ${ADDRESS}. Kinds of errors: segno://kinds.`;
}

/** Headings begin at the second level, below the page's own title, which a whole page's title gives way to. */
function textOf({ page, sections }: Cut): string {
  const shift = sections[0]?.level === 1 ? 0 : 2 - (sections[0]?.level ?? 2);
  return sections
    .map(({ level, heading, body }) => {
      const title = level === 1 ? "" : `${"#".repeat(level + shift)} ${heading}\n\n`;
      return `${title}${linked(body, page)}`.trim();
    })
    .join("\n\n");
}

/** Markdown for a reader of resources: links lead to resources, and what only the website shows is left out. */
function linked(text: string, page: string): string {
  return text
    .replace(/^(```\w*).*$/gm, "$1")
    .replace(/^!\[[^\]]*\]\([^)]*\)\n?/gm, "")
    .replace(/\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, label: string, target: string) => {
      if (/^[a-z]+:/.test(target)) return whole;
      const address = resourceOf(target, page);
      return address === undefined ? label : `[${label}](${address})`;
    });
}

/** Undefined for what is no page of the docs, such as an example file. */
function resourceOf(target: string, from: string): string | undefined {
  const [file = "", anchor] = target.split("#");
  const page = file === "" ? from : file.replace(/\.md$/, "");
  if (!DOCS.includes(page)) return undefined;
  if (page === "cheat-sheet" || page === "kinds") return `segno://${page}`;
  const found = LANGUAGE_PAGES.find(({ from: cuts }) => cuts.some((cut) => holds(cut, page, anchor)));
  if (found) return `${ADDRESS}/${found.name}`;
  if (page === "reference" && anchor === undefined) return ADDRESS;
  const number = docsPages(page).findIndex(({ anchors }) => anchor !== undefined && anchors.includes(anchor)) + 1;
  return `segno://docs/${page}${number > 1 ? `?page=${number}` : ""}`;
}

function holds(from: string, page: string, anchor: string | undefined): boolean {
  const cut = cutOf(from);
  if (cut.page !== page) return false;
  return anchor === undefined ? from === page : cut.sections.some((section) => section.anchor === anchor);
}

/** What there is to read, with the page to begin with. */
export function languageIndex(): string {
  const rows = LANGUAGE_PAGES.map(({ name, about }) => `| ${ADDRESS}/${name} | ${about} |`);
  const [intro] = sectionsOf("reference");
  return `${[
    "# The language",
    linked(intro?.body ?? "", "reference"),
    "Begin with segno://cheat-sheet: the language on one page. Then read the page of each thing that your file says:",
    ["| page | what |", "|---|---|", ...rows].join("\n"),
    "segno://kinds lists the errors that steps raise, and what can be done about each. segno://schema/step/TYPE has the JSON Schema of a step. segno://docs lists the other pages of the documentation.",
  ].join("\n\n")}\n`;
}

/** The pages of docs/ by name. */
export function docsIndex(): string {
  const rows = DOCS.map((page) => `| segno://docs/${page} | ${sectionsOf(page)[0]?.heading ?? page} |`);
  return `${["# The documentation", ["| page | title |", "|---|---|", ...rows].join("\n")].join("\n\n")}\n`;
}

export const kindsPage = (): string => wholePage("kinds");
export const cheatSheet = (): string => wholePage("cheat-sheet");

/** A page that is short enough to be read whole. */
const wholePage = (page: string): string =>
  linked(
    docsPages(page)
      .map(({ text }) => text)
      .join(""),
    page,
  );

interface DocsPage {
  readonly text: string;
  /** Of the sections that begin in it. */
  readonly anchors: readonly string[];
}

/** Before links are led to resources, whose addresses are longer. */
const ROOM = LONGEST_PAGE - 1500;

/** A page of docs/ in parts that end where a section does. Empty if there is no such page. */
export function docsPages(page: string): readonly DocsPage[] {
  const parts: { text: string; anchors: string[] }[] = [];
  for (const { level, heading, anchor, body } of sectionsOf(page)) {
    for (const [index, piece] of piecesOf(`${"#".repeat(level)} ${heading}\n\n${body}\n\n`).entries()) {
      const last = parts.at(-1);
      const anchors = index === 0 ? [anchor] : [];
      if (last && last.text.length + piece.length <= ROOM) {
        last.text += piece;
        last.anchors.push(...anchors);
      } else parts.push({ text: piece, anchors });
    }
  }
  return parts;
}

/** A section that is longer than a page is cut between its lines. */
function piecesOf(text: string): readonly string[] {
  const pieces = [""];
  for (const line of text.split(/(?<=\n)/)) {
    if ((pieces.at(-1) ?? "").length + line.length > ROOM) pieces.push("");
    pieces[pieces.length - 1] += line;
  }
  return pieces;
}

/** Undefined if there is no such part. */
export function docsText(page: string, number: number): string | undefined {
  const parts = docsPages(page);
  const part = parts[number - 1];
  if (!part || !DOCS.includes(page)) return undefined;
  const next = number < parts.length ? `The page goes on in segno://docs/${page}?page=${number + 1}\n` : "";
  return `${linked(part.text, page)}${next}`;
}
