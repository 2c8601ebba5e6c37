/*
 * Compares the tables with the audit trail: a line that was written, changed or removed while
 * triggers were off has no event that reports it. Nothing here calls a function of the database that could be replaced.
 */

import {
  hashOfClaims,
  hashOfDifferenceDecision,
  hashOfFailure,
  hashOfReading,
  hashOfReconciliation,
  hashOfVerdicts,
} from '../../../migrations/0001-schema/audit.ts';
import { hashOfStaged } from '../../../migrations/0001-schema/rows.ts';
import * as sql from '../query/sql.ts';

/** A line of a table that does not fit the trail. */
export interface RecordProblem {
  readonly code: /** No event reports it. */
    | 'record_unnoted'
    /** An event reports it, and it is missing. */
    | 'record_missing'
    /** It differs from the event. */
    | 'record_changed';
  readonly chain: string;
  readonly what: RecordKind | 'verdicts' | 'event';
  /** Its identifier among others of its kind: an id, a name, a version; of verdicts the id of the first. */
  readonly id: string;
  /** Of the event; null where there is none. */
  readonly number: number | null;
}

type RecordKind = keyof typeof records;

/** How the lines of a table and their events are read, each in SQL. */
interface Recorded {
  /** The lines: `chain`, `id`, and `said`, all that must match the event, null where no event has it; all of type text. */
  readonly lines: string;
  /** The events of one line, of which the last counts. */
  readonly events: readonly string[];
  /** Of event `e` with details `d`: the line's id, and its recorded content. */
  readonly id: string;
  readonly said: string;
  /** Whether lines are never removed, as most are; `with_batch`: unless their batch is. */
  readonly isKept?: false | 'with_batch';
  /** Events after which the line no longer exists. */
  readonly ends?: readonly string[];
}

/** SQL of a whole number in a text that may have been rewritten; null where the text is no such number. */
function numberIn(text: string): string {
  return `CASE WHEN ${text} ~ '^[0-9]{1,18}$' THEN (${text})::bigint END`;
}

/** SQL of what an event says of the beginning or the end of a stop of everything. */
function saidOfHalt(what: 'halted' | 'lifted'): string {
  return `json_build_array(${what}_by, encode(sha256(convert_to(note, 'UTF8')), 'hex'),
    (extract(epoch FROM ${what}_at) * 1000000)::bigint::text)::text`;
}

const records = {
  batch: {
    lines: `SELECT b.id::text AS chain, b.id::text AS id, json_build_array(mode, origin, kind, content_hash, reading_hash,
        CASE WHEN row_count = (SELECT count(*) FROM row_states WHERE batch_id = b.id) THEN row_count END::text, made_by, encode(sha256(convert_to(file_name, 'UTF8')), 'hex'))::text AS said
      FROM batches b JOIN environments v ON v.id = b.environment_id WHERE staged_at IS NOT NULL`,
    events: ['batch.staged'],
    id: 'e.chain',
    said: `json_build_array(d->>'mode', d->>'origin', d->>'kind', d->>'content_hash', d->>'reading_hash', d->>'rows',
      d->>'made_by', d->>'file_hash')::text`,
    ends: ['batch.given_up', 'batch.deleted'],
  },
  staged_rows: {
    lines: `SELECT id::text AS chain, id::text AS id, coalesce(${hashOfStaged('b.id')}, '') AS said FROM batches b WHERE staged_at IS NOT NULL`,
    events: ['batch.staged', 'rows.rechecked'],
    id: 'e.chain',
    said: `coalesce(d->>'staged_hash', '')`,
    isKept: false,
  },
  reading: {
    lines: `SELECT batch_id::text AS chain, batch_id::text AS id, ${hashOfReading} AS said
      FROM batch_readings g JOIN batches b ON b.id = g.batch_id`,
    events: ['reading.saved'],
    id: 'e.chain',
    said: `d->>'hash'`,
    isKept: 'with_batch',
  },
  closing: {
    lines: `SELECT id::text AS chain, id::text AS id, closed_by AS said FROM batches b WHERE closed_at IS NOT NULL`,
    events: ['batch.closed'],
    id: 'e.chain',
    said: 'e.actor',
  },
  run: {
    lines: `SELECT batch_id::text AS chain, id::text AS id, CASE WHEN started_by IS NOT NULL THEN json_build_array(command, started_by, door)::text END AS said
      FROM runs`,
    events: ['run.begun'],
    id: `d->>'run'`,
    said: `json_build_array(d->>'command', e.actor, e.door)::text`,
    isKept: 'with_batch',
  },
  run_end: {
    lines: `SELECT batch_id::text AS chain, id::text AS id, coalesce(outcome, '') AS said
      FROM runs WHERE ended_at IS NOT NULL`,
    events: ['run.ended', 'run.lost'],
    id: `d->>'run'`,
    said: `coalesce(d->>'outcome', '')`,
    isKept: false,
  },
  claims: {
    lines: `SELECT batch_id::text AS chain, id::text AS id, coalesce(${hashOfClaims('r')}, '') AS said
      FROM runs r WHERE ended_at IS NOT NULL`,
    events: ['run.ended', 'run.lost'],
    id: `d->>'run'`,
    said: `coalesce(d->>'claims_hash', '')`,
    isKept: false,
  },
  reconciliation: {
    lines: `SELECT batch_id::text AS chain, id::text AS id, json_build_array(made_by, outcome, ${hashOfReconciliation})::text AS said
      FROM reconciliations r`,
    events: ['reconciliation.made'],
    id: `d->>'reconciliation'`,
    said: `json_build_array(e.actor, d->>'outcome', d->>'hash')::text`,
  },
  difference_decision: {
    lines: `SELECT batch_id::text AS chain, id::text AS id, json_build_array(decided_by, decision, ${hashOfDifferenceDecision})::text AS said
      FROM difference_decisions d`,
    events: ['differences.decided'],
    id: `d->>'id'`,
    said: `json_build_array(e.actor, d->>'decision', d->>'hash')::text`,
  },
  plan: {
    lines: `SELECT batch_id::text AS chain, plan_hash AS id, encode(sha256(convert_to(totals::text, 'UTF8')), 'hex') AS said
      FROM plans`,
    events: ['plan.saved'],
    id: `d->>'plan_hash'`,
    said: `d->>'totals_hash'`,
    isKept: 'with_batch',
  },
  approval: {
    lines: `SELECT coalesce(batch_id::text, 'controls') AS chain, id::text AS id,
        json_build_array(encode(sha256(convert_to(statement, 'UTF8')), 'hex'), encode(signature, 'hex'),
          (extract(epoch FROM decided_at) * 1000000)::bigint::text)::text AS said
      FROM approvals`,
    events: ['batch', 'policy', 'user'].flatMap((about) => [`${about}.approved`, `${about}.rejected`]),
    id: `d->>'approval'`,
    said: `json_build_array(d->>'statement_hash', d->>'signature', d->>'decided_at')::text`,
  },
  api_key: {
    lines: `SELECT 'controls' AS chain, fingerprint AS id, mode AS said FROM credentials`,
    events: ['api_key.accepted'],
    id: `d->>'fingerprint'`,
    said: `d->>'mode'`,
  },
  api_key_use: {
    lines: `SELECT 'controls' AS chain, concat_ws(' ', u.fingerprint, v.mode, v.origin) AS id, '' AS said
      FROM credential_uses u JOIN environments v ON v.id = u.environment_id`,
    events: ['api_key.used'],
    id: `concat_ws(' ', d->>'fingerprint', d->>'mode', d->>'origin')`,
    said: `''`,
  },
  disowned_key: {
    lines: `SELECT 'controls' AS chain, fingerprint AS id, json_build_array(disowned_by,
        encode(sha256(convert_to(note, 'UTF8')), 'hex'))::text AS said FROM disowned_keys`,
    events: ['api_key.disowned'],
    id: `d->>'fingerprint'`,
    said: `json_build_array(e.actor, d->>'note_hash')::text`,
  },
  user: {
    lines: `SELECT 'controls' AS chain, name AS id, json_build_array(role, added_by)::text AS said FROM users`,
    events: ['user.added'],
    id: `d->>'user'`,
    said: `json_build_array(d->>'role', e.actor)::text`,
  },
  user_active: {
    lines: `SELECT 'controls' AS chain, name AS id, '' AS said FROM users WHERE active_at IS NOT NULL`,
    events: ['user.activated'],
    id: `d->>'user'`,
    said: `''`,
  },
  user_lock: {
    lines: `SELECT 'controls' AS chain, name AS id, locked_by AS said FROM users WHERE locked_at IS NOT NULL`,
    events: ['user.locked'],
    id: `d->>'user'`,
    said: 'e.actor',
  },
  key: {
    lines: `SELECT 'controls' AS chain, id, json_build_array(user_name, encode(sha256(public_key), 'hex'), previous_key)::text AS said
      FROM user_keys`,
    events: ['key.added'],
    id: `d->>'key'`,
    said: `json_build_array(d->>'user', d->>'key', d->>'previous')::text`,
  },
  key_end: {
    lines: `SELECT 'controls' AS chain, id, user_name AS said FROM user_keys WHERE replaced_at IS NOT NULL`,
    events: ['key.replaced'],
    id: `d->>'key'`,
    said: `d->>'user'`,
  },
  password: {
    lines: `SELECT 'controls' AS chain, link_id::text AS id, user_name AS said FROM user_passwords`,
    events: ['password.set'],
    id: `d->>'link'`,
    said: `d->>'user'`,
  },
  session: {
    lines: `SELECT 'controls' AS chain, id::text AS id, user_name AS said FROM console_sessions`,
    events: ['session.begun'],
    id: `d->>'session'`,
    said: `d->>'user'`,
  },
  policy: {
    lines: `SELECT 'controls' AS chain, version::text AS id,
        json_build_array(proposed_by, encode(sha256(convert_to(content, 'UTF8')), 'hex'))::text AS said FROM policies`,
    events: ['policy.proposed'],
    id: `d->>'version'`,
    said: `json_build_array(e.actor, d->>'content_hash')::text`,
  },
  policy_force: {
    lines: `SELECT 'controls' AS chain, version::text AS id,
        CASE WHEN is_restored THEN 'policy.restored' ELSE 'policy.in_force' END AS said FROM policies WHERE in_force_at IS NOT NULL`,
    events: ['policy.in_force', 'policy.restored'],
    id: `d->>'version'`,
    said: 'e.event',
  },
  policy_waiver: {
    lines: `SELECT 'controls' AS chain, id::text AS id, json_build_array(waived_by, note)::text AS said FROM policy_waivers`,
    events: ['policy.waived'],
    id: `d->>'waiver'`,
    said: `json_build_array(e.actor, d->>'note')::text`,
  },
  halt: {
    lines: `SELECT 'controls' AS chain, id::text AS id, ${saidOfHalt('halted')} AS said FROM halts`,
    events: ['halt.begun'],
    id: `d->>'halt'`,
    said: `json_build_array(e.actor, d->>'note_hash', d->>'at')::text`,
  },
  halt_end: {
    lines: `SELECT 'controls' AS chain, id::text AS id, ${saidOfHalt('lifted')} AS said FROM halts WHERE lifted_at IS NOT NULL`,
    events: ['halt.lifted'],
    id: `d->>'halt'`,
    said: `json_build_array(e.actor, d->>'note_hash', d->>'at')::text`,
  },
  // A failure is removed once a run has made it good, so its event may have no line. The last event counts.
  put_away: {
    lines: `SELECT 'controls' AS chain, id::text AS id, json_build_array(put_away_by, ${hashOfFailure('f')},
        (extract(epoch FROM put_away_at) * 1000000)::bigint::text)::text AS said
      FROM failed_runs f WHERE put_away_at IS NOT NULL`,
    events: ['failed_run.put_away'],
    id: `d->>'failed_run'`,
    said: `json_build_array(e.actor, d->>'subject_hash', d->>'at')::text`,
    isKept: false,
  },
} satisfies Readonly<Record<string, Recorded>>;

/** At most this many lines of each kind are named. */
const mostNamed = 20;

const columns = {
  code: sql.word<RecordProblem['code']>(),
  chain: sql.text,
  id: sql.text,
  number: sql.orNull(sql.int4),
};

/**
 * The lines of tables that do not fit the trail, at most 20 of each kind.
 * @param chains only lines that belong to these; null for all
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

/** Returns the SQL that tests whether a chain is included; each use of it takes the list of chains, if there is one. */
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

/** SQL: the batch of event `e` is still there. */
const isOfBatch = ' AND EXISTS (SELECT FROM batches WHERE id::text = e.chain)';

/** SQL of the events of verdicts, each about those of one statement. */
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

/** More verdicts than the events report. */
const unnotedVerdicts = (
  isMeant: IsMeant,
): string => `SELECT v.chain, v.last AS id, NULL::int AS number, 'record_unnoted' AS code
  FROM (SELECT batch_id::text AS chain, max(id)::text AS last, count(*) AS rows FROM verdicts
    WHERE ${isMeant('batch_id::text')} GROUP BY 1) v
  LEFT JOIN (SELECT chain, sum(rows) AS rows FROM (${sets(isMeant)}) s GROUP BY 1) s ON s.chain = v.chain
  WHERE v.rows > coalesce(s.rows, 0) ORDER BY 1 LIMIT ${mostNamed}`;

/** Events that were never added to their chains: a COMMIT adds them. */
const waitingEvents = (
  isMeant: IsMeant,
): string => `SELECT chain, id::text AS id, NULL::int AS number, 'record_unnoted' AS code
  FROM audit_inbox WHERE ${isMeant('chain')} ORDER BY id LIMIT ${mostNamed}`;
