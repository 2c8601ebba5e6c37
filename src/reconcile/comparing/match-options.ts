/* What a call says of a comparison: the time that is covered, tolerances, and what is compared. */

import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Adjustable, type Message, say } from '../../domain/settings/message.ts';
import { dayOf } from '../export/values.ts';
import type { MatchRules } from '../matching/rules.ts';

/** Coverage and tolerances as stated on a command line. */
export interface GivenMatchOptions {
  readonly coversFrom?: string | undefined;
  readonly coversTo?: string | undefined;
  /** `0.01` and `0.5%`, at most one of each kind. */
  readonly tolerances?: readonly string[];
  readonly toleranceDays?: string | undefined;
  readonly graceDays?: string | undefined;
  /** Names of what is compared, also several in one comma-separated text; everything when absent. */
  readonly compare?: readonly string[];
}

/** Coverage, tolerances and what is compared, parsed. */
export interface MatchOptions extends Omit<MatchRules, 'compares' | 'amountsLeftOut'> {
  /** Null where the call does not state it. */
  readonly compare: readonly string[] | null;
}

/** @throws PaybatchError (`usage`) that names the option */
export function readMatchOptions(given: GivenMatchOptions): MatchOptions {
  const coversFrom = day('coversFrom', given.coversFrom);
  const coversTo = day('coversTo', given.coversTo);
  if (coversFrom !== null && coversTo !== null && coversFrom > coversTo) {
    throw refused(say`${{ setting: 'coversFrom' }} lies after ${{ setting: 'coversTo' }}.`);
  }
  let [absolute, percent] = ['0', '0'];
  for (const text of given.tolerances ?? []) {
    const match = /^(\d{1,30}(?:\.\d{1,30})?)(%?)$/.exec(text.trim());
    const value = match?.[1];
    if (value === undefined)
      throw refused(say`${{ setting: 'tolerance' }} is "${text}"; it can be 0.01 or 0.5%.`);
    if (match?.[2] === '%') percent = value;
    else absolute = value;
  }
  return {
    coversFrom,
    coversTo,
    tolerance: { absolute, percent, days: days('toleranceDays', given.toleranceDays) },
    graceInDays: days('graceDays', given.graceDays),
    compare: given.compare === undefined ? null : namesIn(given.compare),
  };
}

function namesIn(given: readonly string[]): readonly string[] {
  const names = given
    .flatMap((text) => text.split(','))
    .map((text) =>
      text
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_'),
    )
    .filter((name) => name !== '');
  if (names.length === 0)
    throw refused(say`${{ setting: 'compare' }} names nothing; it can be id,reference,amount.`);
  return [...new Set(names)];
}

function day(setting: Adjustable, text: string | undefined): string | null {
  if (text === undefined) return null;
  const read = dayOf(text.trim(), {});
  if (read === null) throw refused(say`${{ setting }} is "${text}", which is no day such as 2026-11-30.`);
  return read;
}

function days(setting: Adjustable, text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,4}$/.test(text))
    throw refused(say`${{ setting }} is "${text}"; it has to be a whole number of days.`);
  return Number(text);
}

function refused(message: Message): PaybatchError {
  return new PaybatchError('option_invalid', message, { action: 'help', of: 'reconcile' });
}
