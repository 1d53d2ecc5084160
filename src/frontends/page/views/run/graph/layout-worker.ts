// Lays out pictures off the main thread: a large one takes a second, and the page must keep scrolling.
import { layOutPicture } from "../../../../../graph/arrange/lay-out-picture.ts";
import type { PictureLayout } from "../../../../../graph/arrange/placed.ts";
import type { Picture } from "../../../../../graph/picture.ts";

export interface LayoutQuestion {
  readonly number: number;
  readonly picture: Picture;
  readonly unfolded: readonly string[];
}

export interface LayoutAnswer {
  readonly number: number;
  readonly layout?: PictureLayout;
  readonly problem?: string;
}

addEventListener("message", ({ data }: MessageEvent<LayoutQuestion>) => {
  const { number, picture, unfolded } = data;
  let answer: LayoutAnswer;
  try {
    answer = { number, layout: layOutPicture(picture, unfolded) };
  } catch (error) {
    answer = { number, problem: error instanceof Error ? error.message : String(error) };
  }
  (postMessage as (message: LayoutAnswer) => void)(answer);
});
