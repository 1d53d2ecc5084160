// Which statuses a step accepts: numbers, ranges such as `200-299`, and classes such as `2xx`.

export type AcceptedStatus = number | string;

const DEFAULT: readonly AcceptedStatus[] = ["200-399"];

export function isAccepted(status: number, accepted: readonly AcceptedStatus[] = DEFAULT): boolean {
  return accepted.some((one) => {
    if (typeof one === "number") return status === one;
    const [from, to = from] = one.trim().split(/\s*-\s*/);
    const bound = (text: string | undefined, digit: string): number => Number(text?.replaceAll(/x/gi, digit));
    return status >= bound(from, "0") && status <= bound(to, "9");
  });
}
