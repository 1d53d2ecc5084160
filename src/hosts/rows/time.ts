// Times of rows are milliseconds since 1970; Postgres gives such large numbers as text.
export const isoTime = (milliseconds: number | string): string => new Date(Number(milliseconds)).toISOString();
