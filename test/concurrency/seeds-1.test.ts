import { it } from 'vitest';
import { replayedSeed, runShare } from './run-seeds.ts';

it.skipIf(replayedSeed() !== null)(
  'no interleaving costs a row: share 1 of 2 of the schedules',
  () => runShare(1, 2),
  30 * 60_000,
);
