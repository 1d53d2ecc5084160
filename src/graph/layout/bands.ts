// Layers from above to below: where each begins, and how high it is.
import { largest } from "./extremes.ts";
import type { LayerCell } from "./layers.ts";

export interface Band {
  readonly top: number;
  readonly bottom: number;
}

const BETWEEN_LAYERS = 23;
/** In a layer with something tall, small things stand near its upper edge. */
const BELOW_TOP = 20;

export class Bands {
  readonly #bands: readonly Band[];

  constructor(layers: readonly (readonly LayerCell[])[]) {
    let top = 0;
    this.#bands = layers.map((layer) => {
      const bottom = top + largest(layer.map((cell) => cell.height));
      const band = { top, bottom };
      top = bottom + BETWEEN_LAYERS;
      return band;
    });
  }

  get height(): number {
    return this.#bands.at(-1)?.bottom ?? 0;
  }

  of({ rank }: LayerCell): Band {
    return this.#bands[rank] ?? { top: 0, bottom: 0 };
  }

  topOf(cell: LayerCell): number {
    const { top, bottom } = this.of(cell);
    return top + Math.min((bottom - top - cell.height) / 2, BELOW_TOP);
  }

  middleOf(cell: LayerCell): number {
    return this.topOf(cell) + cell.height / 2;
  }

  bottomOf(cell: LayerCell): number {
    return this.topOf(cell) + cell.height;
  }
}
