import { it } from 'vitest';
import { replayedSeed, runShare } from './run-schedules.ts';

it.skipIf(replayedSeed() !== null)(
  'exactly once, whatever fails when: share 2 of 2 of the schedules',
  () => runShare(2, 2),
  30 * 60_000,
);
