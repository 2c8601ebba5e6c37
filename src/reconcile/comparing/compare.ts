/* Compares two sides in the database, and passes on each line of the result with what it means for a person. */

import { areSameAmounts } from '../../domain/money/money.ts';
import type { MatchState, RowRemedy, UnclearState } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import { type FindElsewhere, matchSides, type Proof } from '../matching/match.ts';
import { hasCertainId, type MatchLine, readMatchLines } from '../matching/match-lines.ts';
import { createTables, loadSide, type MatchRecord, type Side } from '../matching/records.ts';
import { agreeingStates, type MatchRules } from '../matching/rules.ts';
import { TextNames } from '../matching/text-names.ts';

/** A line with its meaning. */
export type ExplainedLine = MatchLine &
  Explanation & { /** By a person; then it is no break. */ readonly isAccepted: boolean };

/** A proven comparison. */
export interface Comparison {
  readonly proof: Proof;
  /** The rules of the comparison, with the reason if amounts are not compared. */
  readonly rules: MatchRules;
  readonly breakCount: number;
  /** The first breaks, for display. */
  readonly breaks: readonly ExplainedLine[];
  /** Certain ids on the other side for own rows that are `unknown` or `held`, by row. */
  readonly foundIds: ReadonlyMap<number, string>;
}

const breaksKept = 200;

/** Two sides, and how they are compared. */
export interface Sides {
  readonly here: AsyncIterable<readonly MatchRecord[]>;
  readonly there: AsyncIterable<readonly MatchRecord[]>;
  readonly rules: MatchRules;
  readonly fields: readonly string[];
  readonly findElsewhere?: FindElsewhere | undefined;
  /** Whether a side, once it was read, has amounts in an unread column. */
  readonly hasUnreadAmounts?: (side: Side) => boolean;
  /** Called once both sides are read. */
  readonly onRead?: () => void;
  /** Whether a person has accepted what a line shows; asked once of each line that a person would have to look at. */
  readonly isAccepted?: ((line: ExplainedLine) => boolean) | undefined;
}

/**
 * Copies two sides into temporary tables, matches them, and passes on every line of the result.
 * @param onLines receives every line once, differences before agreement
 */
export async function compareSides(
  sql: ScratchSql,
  {
    here,
    there,
    rules: wanted,
    fields,
    findElsewhere,
    hasUnreadAmounts = () => false,
    onRead,
    isAccepted = () => false,
  }: Sides,
  onLines: (lines: readonly ExplainedLine[]) => Promise<void>,
): Promise<Comparison> {
  await createTables(sql);
  const names = new TextNames(sql);
  const hereTotals = await loadSide(sql, 'here', here, wanted.compares, names);
  const thereTotals = await loadSide(sql, 'there', there, wanted.compares, names);
  onRead?.();
  const haveBothAmounts =
    (hereTotals.sums.length > 0 || hasUnreadAmounts('here')) &&
    (thereTotals.sums.length > 0 || hasUnreadAmounts('there'));
  const rules: MatchRules =
    wanted.amountsLeftOut === 'not_there' && haveBothAmounts
      ? { ...wanted, amountsLeftOut: 'not_read' }
      : wanted;
  const proof = await matchSides(sql, hereTotals, thereTotals, rules, findElsewhere);
  let breakCount = 0;
  const breaks: ExplainedLine[] = [];
  const foundIds = new Map<number, string>();
  for await (const group of readMatchLines(sql)) {
    const lines = group.map((line): ExplainedLine => {
      const explained = Object.assign(line, explain(line, rules, fields), { isAccepted: false });
      if (!explained.isBreak || !isAccepted(explained)) return explained;
      return Object.assign(explained, { isBreak: false, isAccepted: true });
    });
    for (const line of lines) {
      noteFoundId(line, foundIds);
      if (!line.isBreak) continue;
      breakCount += 1;
      if (breaks.length < breaksKept) breaks.push(line);
    }
    await onLines(lines);
  }
  return { proof, rules, breakCount, breaks, foundIds };
}

function noteFoundId(line: MatchLine, foundIds: Map<number, string>): void {
  const { here, there } = line;
  if (here === null || there?.id == null || !hasCertainId(line)) return;
  if (here.status === 'unknown' || here.status === 'held') foundIds.set(here.row, there.id);
}

/* What a line means. */

/** A field in which the two sides differ, with both values. */
interface Difference {
  readonly field: string;
  readonly here: string;
  readonly there: string;
}

/** A line in words. */
interface Explanation {
  readonly differences: readonly Difference[];
  readonly evidence: string;
  /** The possible action; null where none is needed. */
  readonly action: RowRemedy | null;
  /** Whether a person has to look at it. */
  readonly isBreak: boolean;
}

/** Explains one line of the comparison, and what a person may do about it. */
function explain(line: MatchLine, rules: MatchRules, comparedFields: readonly string[]): Explanation {
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
  return own === theirs || (field === 'amount' && areSameAmounts(own ?? '', theirs ?? ''));
}

const passTexts: Readonly<Record<string, string>> = {
  id: 'same id',
  reference: 'same reference',
  free_text: 'our reference is in the text',
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
