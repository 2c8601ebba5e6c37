import type { RowState } from '../../src/domain/rows/row-state.ts';
import type { CliEnd } from '../support/cli.ts';
import { csvOf } from '../support/cli-files.ts';
import {
  call,
  callAndKill,
  type FamilyRow,
  type FamilyWorld,
  families,
  familyOf,
  firstFile,
  objectsOf,
  readings,
  rowsOf,
} from './family-world.ts';

/** This number of things happens before the world is well again. */
const leastSteps = 5;
const mostSteps = 12;
/** After this number of rounds in a world that is well, everything has come to its end. */
const mostRounds = 8;
/** States in which a run still has something to do. */
const unfinished = new Set<RowState>([
  'staged',
  'ready',
  'sending',
  'waiting',
  'unknown',
  'rejected',
  'held',
]);

/**
 * Lets imports, resumptions, retries, verdicts, corrections, old files, other readings and deaths of programs happen in
 * an order that chance decides, and looks after each of them how often each family exists at the API.
 * @returns what is wrong; empty when nothing is
 */
export async function runSchedule(world: FamilyWorld): Promise<string[]> {
  // The reading is remembered with the batch, so it has to be stated again if a program died before there was one.
  do await doOrDie(world, importOf('main'));
  while ((await rowsOf(world)).length === 0);
  for (let steps = world.random.whole(leastSteps, mostSteps); steps > 0; steps -= 1) {
    await step(world);
    const wrong = await existsTooOften(world);
    if (wrong.length > 0) return wrong;
  }
  world.isWell = true;
  const end = await settle(world);
  return [...(await existsTooOften(world)), ...(await existsNever(world)), ...firstFileIsNotDone(end)];
}

async function step(world: FamilyWorld): Promise<void> {
  const { random, corrected } = world;
  const drawn = random.fraction();
  if (drawn < 0.15) return doOrDie(world, ['import', firstFile]);
  if (drawn < 0.22) return doOrDie(world, importOf(random.pick(readings)));
  if (drawn < 0.5) return correct(world);
  if (drawn < 0.6 && corrected.length > 0) return doOrDie(world, ['import', random.pick(corrected)]);
  if (drawn < 0.8) return resolveSome(world);
  const batches = [...new Set((await rowsOf(world)).map(({ batch }) => batch))];
  if (batches.length > 0) return doOrDie(world, [random.pick(['resume', 'retry']), random.pick(batches)]);
}

function importOf(reading: (typeof readings)[number]): string[] {
  return ['import', firstFile, '--mapping', `${reading}.json`];
}

async function doOrDie(world: FamilyWorld, words: readonly string[]): Promise<void> {
  if (world.random.chance(0.1) && world.mayKill) await callAndKill(world, words);
  else await call(world, words);
}

/** A person corrects some rows of a failed file, of today or an old one; the correction may be wrong itself. */
async function correct(world: FamilyWorld): Promise<void> {
  const { desk, random, corrected, failed } = world;
  if (failed.length === 0) return;
  const rows = random.pick(random.chance(0.5) ? failed.slice(-1) : failed);
  const chosen = rows.filter(() => random.chance(0.7));
  if (chosen.length === 0) return;
  const number = corrected.length;
  const changed = chosen.map((row, at) =>
    random.chance(0.15)
      ? { ...row }
      : {
          ...row,
          Id: `C${number}-${at}`,
          Other: `C${number}-${at}`,
          Mail: random.chance(0.15) ? 'nobody' : '',
        },
  );
  const twice = random.chance(0.1) ? changed.slice(0, 1).map((row) => ({ ...row, Id: 'T', Other: 'T' })) : [];
  const file = await desk.write(`corrected-${number}.csv`, csvOf([...changed, ...twice]));
  corrected.push(file);
  await doOrDie(world, [random.chance(0.15) ? 'plan' : 'import', file]);
}

/** A person who knows what the API has speaks of some rows. */
async function resolveSome(world: FamilyWorld): Promise<void> {
  const { random } = world;
  for (const row of await rowsOf(world)) {
    if (random.chance(0.5)) continue;
    if (isInDoubt(row)) await tellTruth(world, row);
    else if (isToBeDecided(row)) await decide(world, row);
    else if (row.state === 'held' && row.code === 'corrects_in_doubt') {
      const { exitCode } = await call(world, verdict(row, 'send'));
      if (exitCode === 0) throw new Error('a correction of a row in doubt was let go on a word about itself');
    }
  }
}

function isToBeDecided({ state, code }: FamilyRow): boolean {
  return state === 'held' && code === 'corrects_created';
}

function isInDoubt({ state, mayExist }: FamilyRow): boolean {
  return state === 'unknown' || (state === 'held' && mayExist);
}

function verdict({ batch, row, attempts }: FamilyRow, as: string): string[] {
  return ['resolve', batch, '--row', String(row), '--as', as, '--attempts', String(attempts)];
}

async function tellTruth(world: FamilyWorld, row: FamilyRow): Promise<void> {
  const object = (await objectsOf(world)).find(({ key }) => key === row.key);
  await call(
    world,
    object === undefined ? verdict(row, 'not-created') : [...verdict(row, 'created'), '--id', object.id],
  );
}

/**
 * The verdict to send a row besides allows one more object; the verdict that the existing object counts allows none.
 */
async function decide(world: FamilyWorld, row: FamilyRow): Promise<void> {
  const { random, words } = world;
  if (random.chance(0.5)) {
    await call(world, verdict(row, 'existing'));
    return;
  }
  const family = await familyOf(world, row);
  const { exitCode } = await call(world, verdict(row, 'send'));
  if (exitCode === 0) words.set(family, (words.get(family) ?? 0) + 1);
}

/**
 * Takes up again what is not done, and a person gives the true verdict on every row in doubt and accepts what is
 * created, until nothing changes any more.
 * @returns how the import of the first file ends then
 */
async function settle(world: FamilyWorld): Promise<CliEnd> {
  let before = JSON.stringify(await rowsOf(world));
  for (const file of world.corrected) await call(world, ['import', file]);
  for (let round = 0; ; round += 1) {
    const left = (await rowsOf(world)).filter(isUnfinished);
    for (const batch of new Set(left.map((row) => row.batch))) await call(world, ['retry', batch]);
    const end = await call(world, ['import', firstFile]);
    for (const row of await rowsOf(world)) {
      if (isInDoubt(row)) await tellTruth(world, row);
      else if (isToBeDecided(row)) await call(world, verdict(row, 'existing'));
    }
    const now = JSON.stringify(await rowsOf(world));
    if (now === before || round === mostRounds) return end;
    before = now;
  }
}

/** Whether a run still has something to do about a row; a corrected row is done. */
function isUnfinished(row: FamilyRow): boolean {
  return unfinished.has(row.state) && row.code !== 'superseded' && !isToBeDecided(row);
}

async function existsTooOften(world: FamilyWorld): Promise<string[]> {
  const objects = await objectsOf(world);
  return families.flatMap((family) => {
    const count = objects.filter((object) => object.family === family).length;
    const allowed = 1 + (world.words.get(family) ?? 0);
    return count > allowed ? [`${family} exists ${count} times, where ${allowed} is allowed`] : [];
  });
}

async function existsNever(world: FamilyWorld): Promise<string[]> {
  const objects = await objectsOf(world);
  return families
    .filter((family) => !objects.some((object) => object.family === family))
    .map((family) => `${family} was lost`);
}

/** Every row of the first file is created, or corrected by one that is, or existing. */
function firstFileIsNotDone({ exitCode, stdout }: CliEnd): string[] {
  return exitCode === 0 ? [] : [`the first file ends with ${exitCode}: ${stdout}`];
}
