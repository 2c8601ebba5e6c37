import type { MatchState } from '../../domain/rows/row-state.ts';
import type { ScratchSql } from '../../ledger/connection/open.ts';

/** One record as shown beside its counterpart. */
interface ShownRecord {
  readonly file: number;
  readonly row: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly day: string | null;
  readonly fields: readonly (string | null)[];
  readonly status: string | null;
  /** The other side's further text about it; null where there is none, or where the record is matched. */
  readonly words: RecordWords | null;
}

/** Details by which people recognise a record without an id or reference. */
interface RecordWords {
  /** The other side's own number of the entry. */
  readonly number: string;
  readonly counterparty: string;
  readonly text: string;
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
  readonly repeats: 'here' | 'there' | null;
  /** The other place where it is known, or why the other side's record of that name was left out. */
  readonly place: string | null;
  /** The sums of a group's records on both sides; null outside groups. */
  readonly sums: { readonly here: string; readonly there: string } | null;
}

const linesPerFetch = 2_000;

/** A line from the database: numbers and texts only, which cost a tenth of JSON objects. */
interface FetchedLine {
  readonly state: MatchState;
  readonly pass: string;
  readonly link: number | null;
  readonly place: string | null;
  readonly isCertain: boolean;
  readonly sumHere: string | null;
  readonly sumThere: string | null;
  readonly repeats: 'here' | 'there' | null;
  readonly hereFile: number | null;
  readonly hereRow: number;
  readonly hereId: string | null;
  readonly hereReference: string | null;
  readonly hereAmount: string | null;
  readonly hereCurrency: string | null;
  readonly hereDay: string | null;
  readonly hereFields: string;
  readonly hereStatus: string | null;
  readonly hereEntry: string | null;
  readonly hereCounterparty: string | null;
  readonly hereText: string | null;
  readonly thereFile: number | null;
  readonly thereRow: number;
  readonly thereId: string | null;
  readonly thereReference: string | null;
  readonly thereAmount: string | null;
  readonly thereCurrency: string | null;
  readonly thereDay: string | null;
  readonly thereFields: string;
  readonly thereStatus: string | null;
  readonly thereEntry: string | null;
  readonly thereCounterparty: string | null;
  readonly thereText: string | null;
}

/** SQL: the shown columns of the record `alias`. */
const shown = (alias: string, side: 'here' | 'there'): string => `
  ${alias}.file AS "${side}File", ${alias}.row_number AS "${side}Row", ${alias}.id AS "${side}Id",
  ${alias}.reference AS "${side}Reference", ${alias}.amount::text AS "${side}Amount",
  ${alias}.currency AS "${side}Currency", ${alias}.day::text AS "${side}Day", ${alias}.fields AS "${side}Fields",
  ${alias}.status AS "${side}Status"`;

/** SQL: the further texts of the record `alias`. */
const words = (alias: string, side: 'here' | 'there'): string => `
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

function hereOf(line: FetchedLine): ShownRecord | null {
  if (line.hereFile === null) return null;
  return {
    file: line.hereFile,
    row: line.hereRow,
    id: line.hereId,
    reference: line.hereReference,
    amount: line.hereAmount,
    currency: line.hereCurrency,
    day: line.hereDay,
    fields: fieldsIn(line.hereFields),
    status: line.hereStatus,
    words: wordsOf(line.hereEntry, line.hereCounterparty, line.hereText),
  };
}

function thereOf(line: FetchedLine): ShownRecord | null {
  if (line.thereFile === null) return null;
  return {
    file: line.thereFile,
    row: line.thereRow,
    id: line.thereId,
    reference: line.thereReference,
    amount: line.thereAmount,
    currency: line.thereCurrency,
    day: line.thereDay,
    fields: fieldsIn(line.thereFields),
    status: line.thereStatus,
    words: wordsOf(line.thereEntry, line.thereCounterparty, line.thereText),
  };
}

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
