import { parsedJson } from '../../domain/sending/answer.ts';
import type { Echo, InstitutionName } from '../../resources/definition.ts';
import { compareEchoes, type EchoComparison } from '../../resources/echo.ts';

/** What was sent for a row, and the answer that confirmed it. */
interface EchoSubject {
  readonly body: Buffer;
  readonly answer: string | null;
}

/** Which fields a resource's answers repeat, and where in an answer its object stands. */
export interface EchoReading {
  readonly echoes: readonly Echo[];
  readonly objectIn: (json: unknown) => unknown;
  readonly institutionName?: InstitutionName;
}

/**
 * Compares the fields that an answer has to repeat with those that were sent: an answer that belongs to
 * another request shows here.
 * @returns null when no answer was kept
 */
export function checkEchoes(
  { body, answer }: EchoSubject,
  { echoes, objectIn, institutionName }: EchoReading,
): EchoComparison | null {
  const answered = parsedJson(answer);
  if (answered === undefined) return null;
  return compareEchoes(echoes, parsedJson(body.toString('utf8')), objectIn(answered), institutionName);
}
