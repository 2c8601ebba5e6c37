import { describe, expect, it } from 'vitest';
import { openApprovalWorld } from './approval-world.ts';

/** Mistakes in the ledger's functions: what is replaced in which function, and by what. */
const mistakes: readonly {
  readonly what: string;
  readonly of: string;
  readonly find: string;
  readonly by: string;
}[] = [
  {
    what: 'a rejection changes nothing',
    of: 'counted_approvals',
    find: "decision = 'reject'",
    by: "decision = 'none'",
  },
  { what: 'locked users count', of: 'counted_approvals', find: 'u.locked_at IS NULL', by: 'true' },
  { what: 'replaced keys count', of: 'counted_approvals', find: 'k.replaced_at IS NULL', by: 'true' },
  {
    what: 'approvals of another policy count',
    of: 'counted_approvals',
    find: 'a.policy_version = rule.version',
    by: 'true',
  },
  {
    what: 'approvals of earlier content count',
    of: 'counted_approvals',
    find: 'a.content_revision = content_revision(batch)',
    by: 'true',
  },
  { what: 'makers may approve', of: 'is_maker', find: 'made_by = person', by: 'false' },
  { what: 'who decides is no maker', of: 'is_maker', find: 'v.decided_by = person', by: 'false' },
  {
    what: 'one person counts twice',
    of: 'approvals_in_force',
    find: 'count(DISTINCT o.decided_by)',
    by: 'count(o.decided_by)',
  },
  {
    what: 'a smaller plan counts for a larger one',
    of: 'approves_alike',
    find: 'given.rows @> other.rows',
    by: 'true OR true',
  },
  {
    what: 'an approval of other content counts',
    of: 'approves_alike',
    find: 'given.leaves_root = other.leaves_root',
    by: 'true',
  },
  {
    what: 'the given approval is not looked at',
    of: 'require_approval',
    find: 'NEW.approval_id NOT IN',
    by: 'gen_random_uuid() IN',
  },
  {
    what: 'one approval changes the policy',
    of: 'approvers_of_controls',
    find: 'max(approvers)',
    by: 'min(1)',
  },
];

describe('a mistake in the ledger is noticed:', () => {
  it.each(mistakes)(
    '$what',
    async ({ of, find, by }) => {
      const world = await openApprovalWorld({ of, find, by });
      try {
        let wrong: readonly string[] = [];
        for (let seed = 1; seed <= 200 && wrong.length === 0; seed += 1) ({ wrong } = await world.run(seed));
        expect(wrong).not.toEqual([]);
      } finally {
        await world.close();
      }
    },
    10 * 60_000,
  );
});
