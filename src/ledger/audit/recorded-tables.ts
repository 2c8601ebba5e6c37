/*
 * The tables that the audit trail covers: how their lines, and the events about these lines, are read. No statement here
 * calls a function of the database that could be replaced.
 */

import {
  hashOfClaims,
  hashOfDifferenceDecision,
  hashOfFailure,
  hashOfReading,
  hashOfReconciliation,
} from '../../../migrations/0001-schema/audit.ts';
import { hashOfStaged } from '../../../migrations/0001-schema/rows.ts';

/** How the lines of a table and their events are read. All texts are SQL. */
export interface Recorded {
  /**
   * The lines, with the columns `chain`, `id` and `said`, all of type text. `said` is the content that must match the event;
   * it is null if no event contains it.
   */
  readonly lines: string;
  /** The events about one line. The last event counts. */
  readonly events: readonly string[];
  /** For event `e` with details `d`: the line's id (`id`), and its recorded content (`said`). */
  readonly id: string;
  readonly said: string;
  /**
   * Whether lines are never removed, which is true for most tables. `with_batch`: they are removed only with their batch.
   */
  readonly isKept?: false | 'with_batch';
  /** Events after which the line no longer exists. */
  readonly ends?: readonly string[];
}

/** SQL of the content that an event records about the beginning or the end of a stop of everything. */
function saidOfHalt(what: 'halted' | 'lifted'): string {
  return `json_build_array(${what}_by, encode(sha256(convert_to(note, 'UTF8')), 'hex'),
    (extract(epoch FROM ${what}_at) * 1000000)::bigint::text)::text`;
}

/** The kinds of lines, by the names that problems use. */
export const records = {
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
    lines: `SELECT batch_id::text AS chain, id::text AS id, CASE WHEN started_by IS NOT NULL THEN json_build_array(command, started_by, channel)::text END AS said
      FROM runs`,
    events: ['run.begun'],
    id: `d->>'run'`,
    said: `json_build_array(d->>'command', e.actor, e.channel)::text`,
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
  // A failure is removed once a run has made it good, so its event may have no line.
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

/** The name of a kind of lines. */
export type RecordKind = keyof typeof records;
