import { it } from 'vitest';
import { replayedSeed, runShare } from './run-seeds.ts';

it.skipIf(replayedSeed() !== null)(
  'no interleaving costs a row: share 2 of 2 of the schedules',
  () => runShare(2, 2),
  30 * 60_000,
);
