import type { SqlPort } from '../ports.ts';
import type { MatchState } from './rules.ts';

/** One record as it is shown beside its counterpart. */
export interface ShownRecord {
  readonly file: number;
  readonly row: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly day: string | null;
  readonly fields: readonly (string | null)[];
  readonly status: string | null;
}

/** One line of the outcome: a pair, or a record without a counterpart. */
export interface Outcome {
  readonly state: MatchState;
  /** By what it was matched: a key, a group, a likeness; `none`. */
  readonly pass: string;
  /** The number that the records of one group share; null outside groups. */
  readonly link: number | null;
  readonly here: ShownRecord | null;
  readonly there: ShownRecord | null;
  /** Whether each record of a pair is the only one that its key could mean. */
  readonly isCertain: boolean;
  /** Whether the counterpart shown is used in another line: the record that a duplicate repeats. */
  readonly repeats: 'here' | 'there' | null;
  /** Where else it is known, or why the other side's record of that name was left out. */
  readonly place: string | null;
  /** What a group's records come to on either side; null outside groups. */
  readonly sums: { readonly here: string; readonly there: string } | null;
}

const linesPerFetch = 2_000;

const shown = (alias: string): string => `CASE WHEN ${alias}.n IS NOT NULL THEN json_build_object(
  'file', ${alias}.file, 'row', ${alias}.row_number, 'id', ${alias}.id, 'reference', ${alias}.reference,
  'amount', ${alias}.amount::text, 'currency', ${alias}.currency, 'day', ${alias}.day::text,
  'fields', CASE WHEN ${alias}.fields = '' THEN '[]' ELSE ${alias}.fields END::json, 'status', ${alias}.status) END`;

/** Every line once, differences before agreement, in the order of our records, then of theirs. */
export async function* readOutcomes(sql: SqlPort): AsyncGenerator<readonly Outcome[]> {
  await sql.run(
    `DECLARE outcome_lines NO SCROLL CURSOR FOR
     SELECT o.state, o.pass, o.link, ${shown('h')} AS here, ${shown('t')} AS there, o.place,
       o.is_certain IS TRUE AS "isCertain",
       CASE WHEN o.sum_h IS NOT NULL THEN json_build_object('here', o.sum_h, 'there', o.sum_t) END AS sums,
       CASE WHEN o.peer_h IS NOT NULL THEN 'here' WHEN o.peer_t IS NOT NULL THEN 'there' END AS repeats
     FROM outcomes o LEFT JOIN here h ON h.n = coalesce(o.hn, o.peer_h)
       LEFT JOIN there t ON t.n = coalesce(o.tn, o.peer_t)
     ORDER BY o.state LIKE 'matched%', o.state, o.link, coalesce(o.hn, o.peer_h), coalesce(o.tn, o.peer_t)`,
  );
  const fetchNext = (): Promise<Outcome[]> => {
    const fetched = sql.query<Outcome>(`FETCH ${linesPerFetch} FROM outcome_lines`);
    // Its failure is thrown where it is waited for.
    fetched.catch(() => {});
    return fetched;
  };
  // While lines are looked at and written, the database makes the next.
  let next = fetchNext();
  for (;;) {
    const lines = await next;
    if (lines.length === 0) break;
    next = fetchNext();
    yield lines;
  }
  await sql.run('CLOSE outcome_lines');
}
