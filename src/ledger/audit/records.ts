/*
 * Compares the tables with the audit trail. If a line was written, changed or removed while triggers were off, no event
 * reports that. No statement here calls a function of the database that could be replaced.
 */

import { hashOfVerdicts } from '../../../migrations/0001-schema/audit.ts';
import * as sql from '../query/sql.ts';
import { type Recorded, type RecordKind, records } from './recorded-tables.ts';

/** A line of a table that does not match the trail. */
export interface RecordProblem {
  readonly code: /** No event reports it. */
    | 'record_unnoted'
    /** An event reports it, but the line is missing. */
    | 'record_missing'
    /** It differs from the event. */
    | 'record_changed';
  readonly chain: string;
  readonly what: RecordKind | 'verdicts' | 'event';
  /** Its identifier among the lines of its kind: an id, a name, or a version. For verdicts it is the id of the first one. */
  readonly id: string;
  /** The number of the event; null if there is no event. */
  readonly number: number | null;
}

/** The maximum number of reported lines of each kind. */
const mostNamed = 20;

const columns = {
  code: sql.word<RecordProblem['code']>(),
  chain: sql.text,
  id: sql.text,
  number: sql.orNull(sql.int4),
};

/**
 * The lines of tables that do not match the trail, at most 20 of each kind.
 * @param chains only lines of these chains are compared; null for all
 */
export const compareWithTrail = sql.longVerb(
  async (database: sql.Database, chains: readonly string[] | null): Promise<readonly RecordProblem[]> => {
    const isMeant: IsMeant = (chain) => (chains === null ? 'true' : `${chain} = ANY(?::text[])`);
    const ask = async (what: RecordProblem['what'], select: string): Promise<RecordProblem[]> => {
      const bindings = Array.from({ length: select.split('?').length - 1 }, () => chains);
      const rows = await sql.query(database, columns, select, bindings);
      return rows.map((row) => ({ ...row, what }));
    };
    const found: RecordProblem[] = [];
    for (const [what, recorded] of Object.entries(records)) {
      found.push(...(await ask(what as RecordKind, comparison(recorded, isMeant))));
    }
    for (const select of [changedVerdicts, unnotedVerdicts])
      found.push(...(await ask('verdicts', select(isMeant))));
    return [...found, ...(await ask('event', waitingEvents(isMeant)))];
  },
);

/**
 * Returns the SQL that tests whether a chain is included. Each use of the SQL takes the list of chains as a binding, unless
 * all are included.
 */
type IsMeant = (chain: string) => string;

function comparison({ lines, events, id, said, isKept, ends = [] }: Recorded, isMeant: IsMeant): string {
  return `WITH lines AS (SELECT * FROM (${lines}) l WHERE ${isMeant('chain')}),
     events AS (
       SELECT DISTINCT ON (e.chain, ${id}) e.chain, e.number, ${id} AS id, ${said} AS said,
         ${sql.isIn('e.event', ends)} AS is_over
       FROM (SELECT *, details::jsonb AS d FROM audit_events WHERE ${sql.isIn('event', [...events, ...ends])}) e
       WHERE ${isMeant('e.chain')} ORDER BY e.chain, ${id}, e.number DESC)
     SELECT coalesce(l.chain, e.chain) AS chain, coalesce(l.id, e.id, '') AS id, e.number,
       CASE WHEN e.chain IS NULL THEN 'record_unnoted' WHEN l.chain IS NULL THEN 'record_missing' ELSE 'record_changed' END AS code
     FROM lines l ${isKept === false ? 'LEFT' : 'FULL'} JOIN events e ON e.chain = l.chain AND e.id = l.id
     WHERE e.chain IS NULL OR (l.chain IS NULL AND NOT e.is_over${isKept === 'with_batch' ? isOfBatch : ''}) OR (l.said IS NOT NULL AND e.said IS DISTINCT FROM l.said)
     ORDER BY 1, 3, 2 LIMIT ${mostNamed}`;
}

/** SQL: the batch of event `e` still exists. */
const isOfBatch = ' AND EXISTS (SELECT FROM batches WHERE id::text = e.chain)';

/** SQL of the whole number in a text. The text may have been manipulated; null if it is no such number. */
function numberIn(text: string): string {
  return `CASE WHEN ${text} ~ '^[0-9]{1,18}$' THEN (${text})::bigint END`;
}

/** SQL of the events of verdicts. Each event is about the verdicts of one statement. */
const sets = (
  isMeant: IsMeant,
): string => `SELECT e.chain, e.number, e.actor, d->>'run' AS run, ${numberIn("d->>'first'")} AS first, ${numberIn("d->>'last'")} AS last,
    ${numberIn("d->>'rows'")} AS rows, d->>'hash' AS hash
  FROM (SELECT *, details::jsonb AS d FROM audit_events WHERE event = 'verdicts.given') e WHERE ${isMeant('e.chain')}`;

const changedVerdicts = (
  isMeant: IsMeant,
): string => `SELECT s.chain, coalesce(s.first::text, '') AS id, s.number,
    CASE WHEN v.hash IS NULL THEN 'record_missing' ELSE 'record_changed' END AS code
  FROM (${sets(isMeant)}) s CROSS JOIN LATERAL (
    SELECT ${hashOfVerdicts} AS hash FROM verdicts v WHERE v.id BETWEEN s.first AND s.last
      AND v.batch_id::text = s.chain AND v.decided_by = s.actor AND v.run_id::text = s.run) v
  WHERE v.hash IS DISTINCT FROM s.hash ORDER BY 1, 3 LIMIT ${mostNamed}`;

/** SQL of the chains with more verdicts than their events report. */
const unnotedVerdicts = (
  isMeant: IsMeant,
): string => `SELECT v.chain, v.last AS id, NULL::int AS number, 'record_unnoted' AS code
  FROM (SELECT batch_id::text AS chain, max(id)::text AS last, count(*) AS rows FROM verdicts
    WHERE ${isMeant('batch_id::text')} GROUP BY 1) v
  LEFT JOIN (SELECT chain, sum(rows) AS rows FROM (${sets(isMeant)}) s GROUP BY 1) s ON s.chain = v.chain
  WHERE v.rows > coalesce(s.rows, 0) ORDER BY 1 LIMIT ${mostNamed}`;

/** SQL of the events that were never added to their chains. Normally a COMMIT adds them. */
const waitingEvents = (
  isMeant: IsMeant,
): string => `SELECT chain, id::text AS id, NULL::int AS number, 'record_unnoted' AS code
  FROM audit_inbox WHERE ${isMeant('chain')} ORDER BY id LIMIT ${mostNamed}`;
