import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { type OpenTestLedger, onServer } from '../support/ledger.ts';
import { isSampled } from '../support/sampled.ts';
import { overlapBugs } from './overlap-bugs.ts';
import { compareOverlaps, type OverlapOptions, type OverlapStage } from './overlap-sequence.ts';
import { openSourceCopies, type SourceCopies } from './patched-source.ts';
import { StatementTurns } from './statement-turns.ts';

/** Sequences of moments at which programs call, when `PAYBATCH_OVERLAP_SEEDS` says nothing else. */
const defaultSeeds = isSampled ? 15 : 30;

/** Sequences within which every planted mistake has to show. */
const mostSeeds = 60;

const longestInMs = 300_000;

/** Opens a ledger, and three programs that use it. */
async function onStage(
  openTestLedger: OpenTestLedger,
  bind: typeof bindVerbs,
  work: (stage: OverlapStage) => Promise<void>,
): Promise<void> {
  const { database, databaseUrl } = await openTestLedger();
  const turns = new StatementTurns(databaseUrl ?? '', 3, database);
  const verbsOfPrograms = turns.databases.map((each) => bind(each));
  try {
    await work({ database, turns, verbs: bind(database), verbsOfPrograms, newId: randomUUID });
  } finally {
    await turns.close();
  }
}

async function compareSeeds(stage: OverlapStage): Promise<void> {
  const only = process.env['PAYBATCH_OVERLAP_SEED'];
  if (only !== undefined) return compareOverlaps(Number(only), stage);
  const seeds = Number(process.env['PAYBATCH_OVERLAP_SEEDS'] ?? defaultSeeds);
  for (let seed = 1; seed <= seeds; seed += 1) await compareOverlaps(seed, stage);
}

/** The first seed whose sequence shows that something is wrong. */
async function firstShown(stage: OverlapStage, options: OverlapOptions): Promise<number | undefined> {
  for (let seed = 1; seed <= mostSeeds; seed += 1) {
    try {
      await compareOverlaps(seed, stage, options);
    } catch {
      return seed;
    }
  }
  return undefined;
}

let copies: SourceCopies;
beforeAll(async () => {
  copies = await openSourceCopies();
});
afterAll(() => copies.remove());

onServer((openTestLedger) => {
  it(
    'calls that overlap come to what some order of them would',
    () => onStage(openTestLedger, bindVerbs, compareSeeds),
    longestInMs,
  );

  it.each([...overlapBugs])(
    'overlapping calls show, and calls in turn do not: $name',
    async ({ edits, shownBy }) => {
      const load = await copies.copyWith(edits);
      const patched = (await load('src/ledger/verbs.ts')) as { bindVerbs: typeof bindVerbs };
      await onStage(openTestLedger, patched.bindVerbs, async (stage) => {
        const seed = await firstShown(stage, { contest: shownBy });
        expect(seed, `not one of ${mostSeeds} sequences shows it`).toBeDefined();
        if (seed !== undefined) await compareOverlaps(seed, stage, { contest: shownBy, isInTurn: true });
      });
    },
    longestInMs,
  );
});
