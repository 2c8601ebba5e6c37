/* Reads the lines of a comparison from the database, in order. */

import type { LineRecord, RecordWords } from '../../account/reconciliation/files.ts';
import type { MatchState } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';
import type { Side } from './records.ts';

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

/**
 * Whether the other side's id of a line is certainly that of the own row's object: the two records agree, and no
 * third one could belong to them. The id of a group's line is not that of the object.
 */
export function hasCertainId({ state, there, sums, repeats, isCertain }: MatchLine): boolean {
  const isMatched = state === 'matched' || state === 'matched_within_tolerance';
  return isMatched && isCertain && sums === null && repeats === null && there?.id != null;
}
