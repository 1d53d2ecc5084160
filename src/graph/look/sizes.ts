// Sizes of letters, in pixels. The style sheet and the estimates of how wide a text is both come from here.

export const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
export const NAME_SIZE = 13;
export const DETAIL_SIZE = 10.5;
export const LABEL_SIZE = 10.5;
export const LABEL_LINE = 13.5;
export const TITLE_SIZE = 16;
