import type { SqlPort } from '../ports.ts';
import { createOutcomes, type OpenRecords } from './decided.ts';
import { deferToReference, takeBackDeferred } from './deferred.ts';
import { matchFreeText } from './free-text.ts';
import { matchGroups, matchGroupsOfBoth } from './groups.ts';
import { findLateDuplicates, judgeLeftOut, judgeUnmatched, proposePairs } from './leftovers.ts';
import { matchByKey } from './passes.ts';
import { type Proof, prove } from './proof.ts';
import type { SideTotals } from './records.ts';
import type { MatchRules } from './rules.ts';

/**
 * Writes into the table `into (n, place)` which records of the table `open` (with columns `n` and `id`) are
 * known although they are not part of what is compared, and where.
 */
export type FindElsewhere = (open: string, into: string) => Promise<void>;

/**
 * Puts two loaded sides beside each other, in fixed passes, each over all records: by the object's id, by
 * groups that are one record of the other side, by our reference, by ids that were deferred, by our reference in free
 * text, by natural key, by groups that both sides have. What is left is a duplicate, left out by the other side's mapping, a proposal for a person, or without
 * a counterpart. Every record is used once, and the order of rows decides nothing. The join happens in the
 * database, whose memory settings bound it.
 */
export async function matchSides(
  sql: SqlPort,
  here: SideTotals,
  there: SideTotals,
  rules: MatchRules,
  findElsewhere: FindElsewhere = async () => {},
): Promise<Proof> {
  await createOutcomes(sql);
  const first = await deferToReference(sql, rules);
  let open = await apart(sql, await matchByKey(sql, 'id', first, rules));
  await takeBackDeferred(sql, first, open);
  await matchGroups(sql, 'there', open, rules);
  await matchGroups(sql, 'here', open, rules);
  open = await matchByKey(sql, 'reference', open, rules);
  if (first.here !== 'here') open = await matchByKey(sql, 'id', open, rules, 'id_again');
  await matchFreeText(sql, open, rules);
  open = await matchByKey(sql, 'natural_key', open, rules);
  await matchGroupsOfBoth(sql, open, rules);
  await findLateDuplicates(sql, open);
  await takeOutElsewhere(sql, open, findElsewhere);
  await judgeLeftOut(sql, open);
  await proposePairs(sql, open, rules);
  await judgeUnmatched(sql, open, rules);
  return prove(sql, here, there);
}

/**
 * Records of the other side that we know, although they are not part of what is compared: nothing is claimed
 * about them here.
 */
async function takeOutElsewhere(
  sql: SqlPort,
  open: OpenRecords,
  findElsewhere: FindElsewhere,
): Promise<void> {
  await sql.run('CREATE TEMP TABLE elsewhere (n int, place text) ON COMMIT DROP');
  await findElsewhere(open.there, 'elsewhere');
  await sql.run(
    `INSERT INTO match_lines (tn, state, pass, amount_t, currency_t, place)
     SELECT r.n, 'not_covered', 'id', r.amount, r.currency, min(e.place)
     FROM elsewhere e JOIN ${open.there} r USING (n) GROUP BY r.n, r.amount, r.currency`,
  );
  await sql.run(`DELETE FROM ${open.there} r USING elsewhere e WHERE e.n = r.n`);
}

/** The records themselves stay as they were read: what is taken out of the open ones is taken out of a copy. */
async function apart(sql: SqlPort, open: OpenRecords): Promise<OpenRecords> {
  if (open.here !== 'here') return open;
  await sql.run('CREATE TEMP TABLE open_here ON COMMIT DROP AS SELECT * FROM here');
  await sql.run('CREATE TEMP TABLE open_there ON COMMIT DROP AS SELECT * FROM there');
  return { here: 'open_here', there: 'open_there' };
}
