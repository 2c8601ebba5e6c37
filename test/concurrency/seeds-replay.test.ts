import { it } from 'vitest';
import { replayedSeed, runSeed } from './run-seeds.ts';

const seed = replayedSeed();

it.runIf(seed !== null)(`seed ${seed}, with everything that happens in it`, () => runSeed(seed ?? 0), 60_000);
