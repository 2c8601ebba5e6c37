/** No answer may make us wait longer than this at a time; afterwards the API is simply asked again. */
export const longestRetryAfterInMs = 10 * 60_000;

const secondsPattern = /^[+-]?\d+(\.\d+)?$/;

// `Date.parse` alone takes nearly any text with a number in it for a date.
const httpDatePattern =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): whole seconds or an HTTP date.
 *
 * @param value the header's text, or null when it is absent
 * @param now the moment at which the answer came, to which a date is relative
 * @returns milliseconds from 0 to {@link longestRetryAfterInMs}, or null when the header says nothing usable
 */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (secondsPattern.test(text)) return withinBounds(Number(text) * 1000);
  if (!httpDatePattern.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : withinBounds(at - now.getTime());
}

function withinBounds(waitInMs: number): number {
  return Math.round(Math.min(Math.max(waitInMs, 0), longestRetryAfterInMs));
}
