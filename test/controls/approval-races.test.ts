import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApprovalWorld, openApprovalWorld } from './approval-world.ts';

/** `PAYBATCH_APPROVAL_SEED=7` repeats one race, `PAYBATCH_APPROVAL_SEEDS=1000` tries this number. */
const one = Number(process.env['PAYBATCH_APPROVAL_SEED'] ?? '');
const count = Number(process.env['PAYBATCH_APPROVAL_SEEDS'] ?? 5);
const seeds = one > 0 ? [one] : Array.from({ length: count }, (_, at) => at + 1);

describe('approve, reject, verdict, lock, rotation, policy and claim at the same time', () => {
  let world: ApprovalWorld;
  beforeAll(async () => {
    world = await openApprovalWorld();
  });
  afterAll(() => world.close());

  it(
    'hand out no row without the approvals that the policy asked for at that moment',
    async () => {
      const failed: string[] = [];
      let handedOut = 0;
      for (const seed of seeds) {
        const { wrong, rows } = await world.run(seed).catch((error: unknown) => {
          throw new Error(`seed ${seed}`, { cause: error });
        });
        handedOut += rows;
        if (wrong.length > 0) failed.push(`seed ${seed}: ${wrong.join('; ')}`);
      }
      expect(failed).toEqual([]);
      // Races in which no program gets a row would show nothing.
      if (one === 0 || Number.isNaN(one)) expect(handedOut).toBeGreaterThan(seeds.length / 2);
    },
    60 * 60_000,
  );
});
