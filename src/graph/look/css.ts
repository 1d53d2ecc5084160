// The look of painted shapes, by their classes. The caller passes the colours: an SVG that stands alone has them
// written in, since few viewers know custom properties; the page refers to its own.
import { STATES } from "../lights.ts";
import { DETAIL_SIZE, FONT, LABEL_SIZE, NAME_SIZE, TITLE_SIZE } from "./text.ts";
import { colorTokens, type Scheme } from "./tokens.ts";

/** @param color the value of a token: `completed-fill` */
function colorRules(color: (token: string) => string): readonly string[] {
  const body = (where: string, name: string): string =>
    `${where} .body{fill:${color(`${name}-fill`)};stroke:${color(`${name}-stroke`)}}`;
  const words = (where: string, name: string): string => `${where} text{fill:${color(`${name}-text`)}}`;
  const line = (where: string, name: string): string => `${where} .line{stroke:${color(`${name}-stroke`)}}`;
  return [
    `.paper{fill:${color("paper-fill")}}`,
    `.title{fill:${color("paper-text")}}`,
    body(".node", "step"),
    words(".node", "step"),
    body(".gate", "gate"),
    words(".gate", "gate"),
    body(".box", "box"),
    words(".box", "box"),
    `.box.odd .body{fill:${color("box-inner-fill")}}`,
    ...STATES.flatMap((state) => [
      body(`.node.is-${state}`, state),
      words(`.node.is-${state}`, state),
      `.box.is-${state} .body{stroke:${color(`${state}-stroke`)}}`,
      `.is-${state} .icon{stroke:${color(`${state}-stroke`)}}`,
      `.cell.is-${state}{fill:${color(`${state}-fill`)};stroke:${color(`${state}-stroke`)}}`,
      `.cell-part.is-${state}{fill:${color(`${state}-stroke`)}}`,
    ]),
    `.cell-mark{fill:${color("paper-text")}}`,
    `.start .body,.end .dot{fill:${color("paper-stroke")};stroke:${color("paper-stroke")}}`,
    `.end .body{fill:${color("paper-fill")};stroke:${color("paper-stroke")}}`,
    `.badge{fill:${color("retrying-fill")};stroke:${color("retrying-stroke")}}`,
    `.node .badge-text,.box .badge-text{fill:${color("retrying-text")}}`,
    line(".edge", "paper"),
    line(".edge.untaken", "pending"),
    line(".edge.taken", "taken"),
    line(".edge.error", "error"),
    `.label text{fill:${color("paper-text")}}`,
    `.label.error text{fill:${color("error-text")}}`,
    `.label-paper{fill:${color("paper-fill")}}`,
    `.label-paper.in-box{fill:${color("box-fill")}}`,
    `.label-paper.in-inner-box{fill:${color("box-inner-fill")}}`,
    `.arrow-plain{fill:${color("paper-stroke")}}`,
    `.arrow-untaken{fill:${color("pending-stroke")}}`,
    `.arrow-taken{fill:${color("taken-stroke")}}`,
    `.arrow-error{fill:${color("error-stroke")}}`,
  ];
}

const SHAPE_RULES: readonly string[] = [
  `text{font-family:${FONT};font-size:${DETAIL_SIZE}px}`,
  `.title{font-size:${TITLE_SIZE}px;font-weight:700}`,
  `.name{font-size:${NAME_SIZE}px;font-weight:600}`,
  `.small .name{font-size:${DETAIL_SIZE + 0.5}px;font-weight:400}`,
  `.label text{font-size:${LABEL_SIZE}px}`,
  ".body{stroke-width:1.3}",
  ".is-pending .body,.box .body{stroke-width:1}",
  ".lit .body{stroke-width:2}",
  ".box.lit .body{stroke-width:1.6}",
  ".box.group .body{stroke-dasharray:2 3}",
  ".any .body,.parent .body{stroke-dasharray:3 3}",
  ".icon{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}",
  // A click on what lies on a cell is a click on the cell.
  ".cell-part,.cell-mark{pointer-events:none}",
  ".badge-text{font-size:9.5px;font-weight:600}",
  ".line{fill:none;stroke-width:1.4}",
  ".error .line{stroke-dasharray:5 4}",
  ".untaken .line{stroke-width:1.1}",
  ".taken .line{stroke-width:2.6}",
  ".label-paper{fill-opacity:0.94}",
  ".hidden-way{opacity:0;pointer-events:none}",
  ".edge:hover .hidden-way,.edge:focus-within .hidden-way{opacity:1}",
];

/** A style for an SVG that stands alone, light or dark as its reader likes. */
export function standaloneCss(): string {
  const rulesOf = (scheme: Scheme): string => {
    const colors = colorTokens(scheme);
    return colorRules((token) => colors[token] ?? "").join("\n");
  };
  return `${SHAPE_RULES.join("\n")}\n${rulesOf("light")}\n@media (prefers-color-scheme:dark){\n${rulesOf("dark")}\n}`;
}

/** Rules below `.graph` for a page that has the tokens as custom properties (`tokenCss`). */
export const pageCss = (): string =>
  [...SHAPE_RULES, ...colorRules((token) => `var(--${token})`)]
    .map((rule) => {
      const brace = rule.indexOf("{");
      const selectors = rule.slice(0, brace).split(",");
      return `${selectors.map((selector) => `.graph ${selector}`).join(",")}${rule.slice(brace)}`;
    })
    .join("\n");
