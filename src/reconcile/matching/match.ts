import type { SqlPort } from '../ports.ts';
import { matchGroups } from './groups.ts';
import { findLateDuplicates, judgeUnmatched, proposePairs } from './leftovers.ts';
import { createOutcomes, matchByKey, type OpenRecords } from './passes.ts';
import { type Proof, prove } from './proof.ts';
import type { SideTotals } from './records.ts';
import type { MatchRules } from './rules.ts';

/**
 * Puts two loaded sides beside each other, in fixed passes: by the object's id, by groups, by our reference,
 * by natural key. What is left is a duplicate, a proposal for a person, or without a counterpart. Every
 * record is used once. The join happens in the database, whose memory settings bound it.
 */
export async function matchSides(
  sql: SqlPort,
  here: SideTotals,
  there: SideTotals,
  rules: MatchRules,
): Promise<Proof> {
  await createOutcomes(sql);
  let open: OpenRecords = { here: 'here', there: 'there' };
  open = await matchByKey(sql, 'id', open, rules);
  open = await apart(sql, open);
  await matchGroups(sql, 'there', open, rules);
  await matchGroups(sql, 'here', open, rules);
  open = await matchByKey(sql, 'reference', open, rules);
  open = await matchByKey(sql, 'natural_key', open, rules);
  await findLateDuplicates(sql, open);
  await proposePairs(sql, open, rules);
  await judgeUnmatched(sql, open, rules);
  return prove(sql, here, there);
}

/** The records themselves stay as they were read: what is taken out of the open ones is taken out of a copy. */
async function apart(sql: SqlPort, open: OpenRecords): Promise<OpenRecords> {
  if (open.here !== 'here') return open;
  await sql.run('CREATE TEMP TABLE open_here ON COMMIT DROP AS SELECT * FROM here');
  await sql.run('CREATE TEMP TABLE open_there ON COMMIT DROP AS SELECT * FROM there');
  return { here: 'open_here', there: 'open_there' };
}
