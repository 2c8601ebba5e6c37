import { compareDecimals, parseNumberText } from '../domain/money.ts';
import type { Echo } from '../resources/definition.ts';
import { parsedJson, valueAtPath } from './dotted-path.ts';

/** What was sent for a row, and the answer that confirmed it. */
export interface EchoSubject {
  readonly body: Buffer;
  readonly answer: string | null;
}

/** What an answer says about the fields that were sent. */
export interface EchoFinding {
  /** Fields that the answer repeats with another value. */
  readonly differing: readonly { readonly field: string; readonly sent: string; readonly answered: string }[];
  /** Fields that were sent and that the answer does not repeat. */
  readonly missing: readonly string[];
}

/**
 * Compares the fields that an answer has to repeat with those that were sent: an answer that belongs to
 * another request shows here.
 * @returns null when no answer was kept
 */
export function checkEchoes({ body, answer }: EchoSubject, echoes: readonly Echo[]): EchoFinding | null {
  const answered = parsedJson(answer);
  if (answered === undefined) return null;
  const sent = parsedJson(body.toString('utf8'));
  const differing: { field: string; sent: string; answered: string }[] = [];
  const missing: string[] = [];
  for (const echo of echoes) {
    const own = valueAtPath(sent, echo.sent);
    if (own === undefined) continue;
    const theirs = valueAtPath(answered, echo.answered);
    if (theirs === undefined || theirs === null) missing.push(echo.field);
    else if (!isSame(own, theirs, echo.as)) {
      differing.push({ field: echo.field, sent: String(own), answered: String(theirs) });
    }
  }
  return { differing, missing };
}

function isSame(sent: unknown, answered: unknown, as: Echo['as']): boolean {
  if (as === 'text') return String(sent) === String(answered);
  const own = parseNumberText(String(sent));
  const theirs = parseNumberText(String(answered));
  return own !== undefined && theirs !== undefined && compareDecimals(own, theirs) === 0;
}
