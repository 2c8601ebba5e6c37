/*
 * The lines of a comparison: read from the database in order, each with its meaning, and what a person may do about
 * it.
 */

import type { LineRecord, RecordWords } from '../../account/reconciliation/files.ts';
import { areSameAmounts } from '../../domain/money/money.ts';
import type { MatchState, RowRemedy, UnclearState } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import type { Side } from './records.ts';
import { agreeingStates, type MatchRules } from './rules.ts';

/** One record as shown beside its counterpart. */
interface ShownRecord extends LineRecord {
  readonly fields: readonly (string | null)[];
}

/** One line of the result: a pair, or a record without a counterpart. */
export interface MatchLine {
  readonly state: MatchState;
  /** How it was matched: by a key, a group, a similarity; or `none`. */
  readonly pass: string;
  /** The number that the records of one group share; null outside groups. */
  readonly link: number | null;
  readonly here: ShownRecord | null;
  readonly there: ShownRecord | null;
  /** Whether each record of a pair is the only candidate of its key. */
  readonly isCertain: boolean;
  /** Whether the counterpart shown is used in another line: the record that a duplicate repeats. */
  readonly repeats: Side | null;
  /** The other place where it is known, or why the other side's record of that name was left out. */
  readonly place: string | null;
  /** The sums of a group's records on both sides; null outside groups. */
  readonly sums: { readonly here: string; readonly there: string } | null;
}

const linesPerFetch = 2_000;

/** The columns of a record, as the database has them. */
interface RecordColumns extends Omit<ShownRecord, 'file' | 'fields' | 'words'> {
  readonly file: number | null;
  readonly fields: string;
  readonly entry: string | null;
  readonly counterparty: string | null;
  readonly text: string | null;
}

/** A line from the database: numbers and texts only, which cost a tenth of JSON objects. */
type FetchedLine = Omit<MatchLine, 'here' | 'there' | 'sums'> & {
  readonly sumHere: string | null;
  readonly sumThere: string | null;
} & { readonly [Name in keyof RecordColumns as `${Side}${Capitalize<Name>}`]: RecordColumns[Name] };

/** SQL: the shown columns of the record `alias`. */
const shown = (alias: string, side: Side): string => `
  ${alias}.file AS "${side}File", ${alias}.row_number AS "${side}Row", ${alias}.id AS "${side}Id",
  ${alias}.reference AS "${side}Reference", ${alias}.amount::text AS "${side}Amount",
  ${alias}.currency AS "${side}Currency", ${alias}.day::text AS "${side}Day", ${alias}.fields AS "${side}Fields",
  ${alias}.status AS "${side}Status"`;

/** SQL: the further texts of the record `alias`. */
const words = (alias: string, side: Side): string => `
  ${alias}.entry AS "${side}Entry", ${alias}.counterparty AS "${side}Counterparty", ${alias}.free_text AS "${side}Text"`;

function wordsOf(entry: string | null, counterparty: string | null, text: string | null): RecordWords | null {
  if (entry == null && counterparty == null && text == null) return null;
  const [, number] = entry == null ? [] : (JSON.parse(entry) as [account: string, number: string]);
  return {
    number: number ?? '',
    counterparty: counterparty ?? '',
    text: (text ?? '').replaceAll('\n', '; '),
  };
}

/** Reads the record of one side from lines; the names of its columns are put together once. */
function recordReader(side: Side): (line: FetchedLine) => ShownRecord | null {
  const [file, row, fields] = [`${side}File`, `${side}Row`, `${side}Fields`] as const;
  const [id, reference, status] = [`${side}Id`, `${side}Reference`, `${side}Status`] as const;
  const [amount, currency, day] = [`${side}Amount`, `${side}Currency`, `${side}Day`] as const;
  const [entry, counterparty, text] = [`${side}Entry`, `${side}Counterparty`, `${side}Text`] as const;
  return (line) => {
    const number = line[file];
    if (number === null) return null;
    return {
      file: number,
      row: line[row],
      id: line[id],
      reference: line[reference],
      amount: line[amount],
      currency: line[currency],
      day: line[day],
      fields: fieldsIn(line[fields]),
      status: line[status],
      words: wordsOf(line[entry], line[counterparty], line[text]),
    };
  };
}

const hereOf = recordReader('here');
const thereOf = recordReader('there');

const noFields: readonly (string | null)[] = [];

function fieldsIn(text: string): readonly (string | null)[] {
  return text === '' ? noFields : (JSON.parse(text) as (string | null)[]);
}

function matchLineOf(line: FetchedLine): MatchLine {
  const { state, pass, link, isCertain, repeats, place, sumHere, sumThere } = line;
  const sums = sumHere === null || sumThere === null ? null : { here: sumHere, there: sumThere };
  return { state, pass, link, here: hereOf(line), there: thereOf(line), isCertain, repeats, place, sums };
}

/**
 * The lines in order, in parts. Nearly all are pairs of one state. Their part is sorted by numbers alone and joined
 * by plain columns, in less than half the time of one sort of everything.
 */
const parts: readonly {
  readonly condition: string;
  readonly joins: string;
  readonly order: string;
  readonly further: string;
}[] = [
  ["state NOT LIKE 'matched%'", 'state, link'] as const,
  ...(['matched_by_id', 'matched', 'matched_within_tolerance'] satisfies MatchState[]).flatMap(
    (state) =>
      [
        [`state = '${state}' AND link IS NOT NULL`, 'link'],
        [`state = '${state}' AND link IS NULL`, null],
      ] as const,
  ),
].map(([condition, order]) =>
  order === null
    ? {
        condition,
        joins: 'JOIN here h ON h.n = o.hn JOIN there t ON t.n = o.tn',
        order: 'o.hn, o.tn',
        further: '',
      }
    : {
        condition,
        joins: `LEFT JOIN here h ON h.n = coalesce(o.hn, o.peer_h)
          LEFT JOIN there t ON t.n = coalesce(o.tn, o.peer_t)`,
        order: `${order}, coalesce(o.hn, o.peer_h), coalesce(o.tn, o.peer_t)`,
        further: `, ${words('h', 'here')}, ${words('t', 'there')}`,
      },
);

/** Every line once, differences first, in the order of own records, then of the other side's. */
export async function* readMatchLines(sql: ScratchSql): AsyncGenerator<readonly MatchLine[]> {
  for (const { condition, joins, order, further } of parts) {
    await sql.run(
      `DECLARE lines_to_show NO SCROLL CURSOR FOR
       SELECT o.state, o.pass, o.link, o.place, o.is_certain IS TRUE AS "isCertain",
         o.sum_h AS "sumHere", o.sum_t AS "sumThere",
         CASE WHEN o.peer_h IS NOT NULL THEN 'here' WHEN o.peer_t IS NOT NULL THEN 'there' END AS repeats,
         ${shown('h', 'here')}, ${shown('t', 'there')}${further}
       FROM (SELECT * FROM match_lines WHERE ${condition}) o ${joins} ORDER BY ${order}`,
    );
    yield* fetchLines(sql);
    await sql.run('CLOSE lines_to_show');
  }
}

async function* fetchLines(sql: ScratchSql): AsyncGenerator<readonly MatchLine[]> {
  const fetchNext = (): Promise<FetchedLine[]> => {
    const fetched = sql.query<FetchedLine>(`FETCH ${linesPerFetch} FROM lines_to_show`);
    // Its failure is thrown when it is awaited.
    fetched.catch(() => {});
    return fetched;
  };
  // While lines are processed and written, the database prepares the next.
  let next = fetchNext();
  for (;;) {
    const lines = await next;
    if (lines.length === 0) return;
    next = fetchNext();
    yield lines.map(matchLineOf);
  }
}

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

/**
 * Whether the other side's id of a line is certainly that of the own row's object: the two records agree, and no
 * third one could belong to them. The id of a group's line is not that of the object.
 */
export function hasCertainId({ state, there, sums, repeats, isCertain }: MatchLine): boolean {
  const isMatched = state === 'matched' || state === 'matched_within_tolerance';
  return isMatched && isCertain && sums === null && repeats === null && there?.id != null;
}
