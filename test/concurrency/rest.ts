import { setTimeout as sleep } from 'node:timers/promises';
import type { CallOutcome } from '../../src/domain/failures/paybatch-error.ts';
import { leaseInMs } from '../../src/send/lease.ts';
import { realMs } from './fast-time.ts';
import type { Lane } from './lane.ts';
import { type Command, runWhole } from './whole-run.ts';
import { type FiledRow, readFiled, violate, type World } from './world.ts';

/** Passes without faults after which at the latest nothing may be left to do. */
const mostPasses = 6;

/** The longest time that a batch may stay held after its last program has ended. */
const longestHoldInMs = realMs(3 * leaseInMs);

/**
 * When the faults are over: resumes the batch, with a person deciding in between, until nothing is left to do; then
 * compares the ledger with the truth.
 */
export async function bringToRest(world: World, lane: Lane): Promise<void> {
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    const sentBefore = world.api.requests.length;
    const isImport = pass === 1;
    const outcome = await runAlone(world, lane, isImport ? 'import' : 'resume', `quiet${pass}`);
    if (outcome === null || world.violations.length > 0) return;
    const isIdle = world.api.requests.length === sentBefore;
    const open = (world.files ?? []).filter(({ status }) => isForPerson(status));
    if (open.length > 0) await runAlone(world, lane, 'resolve', `person${pass}`);
    else if (isIdle && !isImport && outcome !== 'stopped') {
      await checkEnd(world, lane, outcome);
      return;
    }
  }
  violate(world, `the batch does not come to rest: ${JSON.stringify(tally(world.files ?? []))}`);
  await checkEnd(world, lane, 'stopped');
}

function isForPerson(status: string): boolean {
  return status === 'unknown' || status === 'held';
}

/** A run that nobody disturbs; it waits for runs that were lost, but not for ever. @returns null after a violation */
async function runAlone(
  world: World,
  lane: Lane,
  command: Command,
  name: string,
): Promise<CallOutcome | null> {
  const givenUpAt = performance.now() + longestHoldInMs;
  for (;;) {
    // Again, since what was on its way to the server when a program died may have arrived after it.
    for (const id of world.goneRuns) await world.markProcessGone(id);
    const program = await lane.openProgram(name, world.newRandom());
    const { outcome } = await runWhole(world, program, { command, concurrency: 8, maxAttempts: 3 });
    if (outcome !== 'busy') {
      if (outcome === null) violate(world, `${name} breaks off without any fault`);
      return outcome;
    }
    if (performance.now() > givenUpAt) {
      violate(world, 'the batch stays held by a run that is gone');
      return null;
    }
    await sleep(realMs(leaseInMs / 10));
  }
}

function tally(rows: readonly FiledRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What has to be so, whatever happened before. */
async function checkEnd(world: World, lane: Lane, outcome: CallOutcome): Promise<void> {
  const { plan, api } = world;
  const reader = await lane.openProgram('reader', world.newRandom());
  const rows = await readFiled(reader.verbs, plan.id);
  const numbers = rows.map(({ row }) => row);
  if (JSON.stringify(numbers) !== JSON.stringify(plan.rows.map(({ row }) => row))) {
    violate(world, `every row comes out once, in order: ${numbers.join(' ')}`);
  }
  const counts = tally(rows);
  const counted = await reader.verbs.countStatuses(plan.id);
  if (JSON.stringify(sorted(counted)) !== JSON.stringify(sorted(counts))) {
    violate(
      world,
      `the counts ${JSON.stringify(counted)} are not those of the rows, ${JSON.stringify(counts)}`,
    );
  }
  if (await reader.verbs.hasMovableRows(plan.id))
    violate(world, 'rows can still move, and no run moves them');
  const isComplete = rows.every(({ status }) => status === 'created' || status === 'existing');
  if (outcome !== (isComplete ? 'done' : 'rows_need_correction')) {
    violate(world, `the last run ends with ${outcome}, and the rows are ${JSON.stringify(counts)}`);
  }
  for (const row of rows) checkRow(world, row);
  checkObjects(world, rows);
  const told = new Set(rows.map(({ objectId }) => objectId));
  for (const { id } of api.objects) {
    if (!told.has(id) && !(await isKeptAsEvidence(lane, world, id))) violate(world, `no row tells of ${id}`);
  }
}

/** Where every run came to its end, the files that were written last say what the ledger says. */
export async function checkFiles(world: World, lane: Lane): Promise<void> {
  if (world.files === null || world.ends.some(({ outcome }) => outcome === null)) return;
  const reader = await lane.openProgram('reader', world.newRandom());
  const rows = await readFiled(reader.verbs, world.plan.id);
  const stale = rows.filter(({ status, objectId }, at) => {
    const filed = world.files?.[at];
    return filed?.status !== status || filed.objectId !== objectId;
  });
  if (stale.length > 0) {
    violate(world, `the result files are out of date in rows ${stale.map(({ row }) => row).join(' ')}`);
  }
}

function sorted(counts: object): [string, unknown][] {
  return Object.entries(counts).sort();
}

function checkRow({ plan, api, ...world }: World, { row, status, objectId }: FiledRow): void {
  const sameAs = plan.rows.find((each) => each.row === row)?.sameAs ?? row;
  const number = plan.numberOf.get(sameAs) ?? '';
  const objects = api.objectsOf(number);
  const place = `row ${row} is ${status}`;
  const fail = (text: string): void => {
    world.note(`VIOLATION ${text}`);
    world.violations.push(text);
  };
  if (status === 'created' || status === 'existing') {
    if (!objects.some(({ id }) => id === objectId))
      fail(`${place} with ${objectId}, which is not its object`);
  } else if (status === 'invalid' || status === 'rejected') {
    if (objects.length > 0) fail(`${place}, and its object exists`);
  } else {
    fail(`${place} at the end${objects.length > 0 ? ', and its object exists' : ''}`);
  }
}

function checkObjects(world: World, rows: readonly FiledRow[]): void {
  for (const [row, number] of world.plan.numberOf) {
    const objects = world.api.objectsOf(number);
    if (objects.length > 1) violate(world, `row ${row} was created ${objects.length} times`);
  }
  const created = rows.filter(({ status }) => status === 'created').map(({ objectId }) => objectId);
  if (new Set(created).size < created.length) violate(world, 'two rows are created with one object');
}

/** Whether the ledger keeps an object without a row as evidence. */
async function isKeptAsEvidence(lane: Lane, world: World, objectId: string): Promise<boolean> {
  const reader = await lane.openProgram('reader', world.newRandom());
  const kept = await reader.verbs.listLateCreations(world.plan.id, world.plan.rows.length);
  return kept.some((each) => each.objectId === objectId);
}
