/* The meaning of a comparison's line, and what a person may do about it. */

import { compareDecimals, parseDecimal } from '../../domain/money/money.ts';
import type { MatchState, RowRemedy, UnclearState } from '../../domain/rows/row-state.ts';
import type { MatchLine } from '../matching/match-lines.ts';
import { agreeingStates, type MatchRules } from '../matching/rules.ts';

/** A field in which the two sides differ, with both values. */
interface Difference {
  readonly field: string;
  readonly here: string;
  readonly there: string;
}

/** A line in words. */
export interface Explanation {
  readonly differences: readonly Difference[];
  readonly evidence: string;
  /** The possible action; null where none is needed. */
  readonly action: RowRemedy | null;
  /** Whether a person has to look at it. */
  readonly isBreak: boolean;
}

/** Explains one line of the comparison, and what a person may do about it. */
export function explain(line: MatchLine, rules: MatchRules, comparedFields: readonly string[]): Explanation {
  const isDoubtful = line.here?.status === 'unknown' || line.here?.status === 'held';
  return {
    differences: differencesOf(line, rules, comparedFields),
    evidence: evidenceOf(line, rules) + doubtIn(line, isDoubtful),
    action: actionOf(line, isDoubtful),
    isBreak: !agreeingStates.has(line.state) || (isDoubtful && (line.there !== null || line.sums !== null)),
  };
}

const noDifferences: readonly Difference[] = [];

function differencesOf(
  { state, here, there, sums }: MatchLine,
  { compares }: MatchRules,
  comparedFields: readonly string[],
): readonly Difference[] {
  if (here === null || there === null) return noDifferences;
  // A single pair of a group's records has no meaning of its own.
  if (sums !== null) return state === 'mismatched' ? [{ field: 'sum', ...sums }] : noDifferences;
  const found: Difference[] = [];
  const compare = (field: string, own: string | null, theirs: string | null): void => {
    if (!isSame(field, own, theirs)) found.push({ field, here: own ?? '', there: theirs ?? '' });
  };
  if (here.id !== null && there.id !== null) compare('id', here.id, there.id);
  if (here.reference !== null && there.reference !== null)
    compare('reference', here.reference, there.reference);
  if (compares.amount) compare('amount', here.amount, there.amount);
  if (compares.currency) compare('currency', here.currency, there.currency);
  if (compares.day) compare('date', here.day, there.day);
  for (const [index, field] of comparedFields.entries()) {
    compare(field, here.fields[index] ?? null, there.fields[index] ?? null);
  }
  return found;
}

function isSame(field: string, own: string | null, theirs: string | null): boolean {
  if (own === theirs) return true;
  if (field !== 'amount' || own === null || theirs === null) return false;
  const [left, right] = [parseDecimal(own), parseDecimal(theirs)];
  return left !== undefined && right !== undefined && compareDecimals(left, right) === 0;
}

const passTexts: Readonly<Record<string, string>> = {
  id: 'same id',
  reference: 'same reference',
  free_text: 'our reference stands in the text',
  natural_key: 'same natural key',
  group: 'a group that is one record of the other side',
  groups: 'the same group on both sides',
  similar_reference: 'the references look alike, and no other pair does',
  same_amount: 'same amount and currency within a few days, and no other pair has',
  none: 'nothing with this id, reference or natural key',
};

function evidenceOf(line: MatchLine, rules: MatchRules): string {
  const { state, pass, repeats, here, there, place, sums } = line;
  const text = passTexts[pass] ?? pass;
  if (state === 'left_out') {
    return `${text}, and left out ${here === null ? 'here' : 'there'} by the mapping (${place})`;
  }
  if (state === 'ambiguous') return `${text} on several records, and no way to tell which belong together`;
  if (there?.words?.number !== undefined && there.words.number !== '' && here === null)
    return `${text}; its number there is ${there.words.number}`;
  if (state === 'matched_by_id') return `${text}; amounts not compared`;
  if (sums !== null) return `${text}: ${sums.here} here, ${sums.there} there`;
  if (pass === 'id' && place !== null) return `same id as ${place}`;
  if (repeats !== null) {
    const original = repeats === 'here' ? here : there;
    return `${text} as row ${original?.row} ${repeats === 'here' ? 'here' : 'there'}, which is matched or repeated already`;
  }
  const { coversFrom, coversTo } = rules;
  const range = `${coversFrom ?? 'the beginning'} to ${coversTo ?? 'today'}`;
  if (state === 'missing_there' || state === 'expected') return `${text}; covered: ${range}`;
  if (state !== 'not_covered') return text;
  return coversFrom === null && coversTo === null
    ? `${text}; no coverage was declared`
    : `${text}; outside of what is covered: ${range}`;
}

/** Reasons why a pair that agrees still needs attention. */
function doubtIn({ state, here, there, repeats, sums }: MatchLine, isDoubtful: boolean): string {
  return isDoubtful && (there !== null || sums !== null) && repeats === null && state !== 'proposed'
    ? `; ${here?.status} here, and there it exists`
    : '';
}

function actionOf(line: MatchLine, isDoubtful: boolean): RowRemedy | null {
  const { state, here, there, repeats, sums } = line;
  const usual: RowRemedy | null = isUnclear(state) ? { action: 'look_into', state } : null;
  if (!isDoubtful || repeats === 'here' || here === null) return usual;
  const { row } = here;
  if (hasCertainId(line) && there?.id != null) return { action: 'resolve_as_created', row, id: there.id };
  if (agreeingStates.has(state) && (there !== null || sums !== null)) {
    return { action: 'find_id', row };
  }
  return state === 'missing_there' ? { action: 'resolve_as_not_created', row } : usual;
}

function isUnclear(state: MatchState): state is UnclearState {
  return !agreeingStates.has(state);
}

/**
 * Whether the other side's id of a line is certainly that of the own row's object: the two records agree, and no
 * third one could belong to them. The id of a group's line is not that of the object.
 */
export function hasCertainId({ state, there, sums, repeats, isCertain }: MatchLine): boolean {
  const isMatched = state === 'matched' || state === 'matched_within_tolerance';
  return isMatched && isCertain && sums === null && repeats === null && there?.id != null;
}
