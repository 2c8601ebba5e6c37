import { naturalKeyOf } from './model-api.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { ModelRow } from './model-row.ts';
import type { Random } from './random.ts';
import { accountsBatch, customersBatch, twinsBatch } from './scenario.ts';
import type { Simulation } from './simulation.ts';
import { placeOf } from './watch.ts';

/**
 * A person looks at the API and gives the true verdict on every row that is held; now and then, the verdict that a second
 * object is to be made. Looks only when nothing is under way, as people are advised to.
 * @returns how many rows were moved on
 */
export function resolveRows(simulation: Simulation, isLast: boolean): number {
  return say(
    simulation,
    look(simulation).filter(({ row }) => isLast || row.state === 'held'),
  );
}

/** A person looks now, at rows that a run may send again as well, and says later what was true then. */
export function resolveRowsLater(simulation: Simulation, delayInMs: number): void {
  const seen = look(simulation);
  simulation.world.note('person', `looks at ${seen.length} rows`);
  simulation.world.after(delayInMs, null, () => {
    const { rows } = simulation.model;
    say(
      simulation,
      seen.flatMap(({ row: { batchId, row: number }, verdict }) => {
        const row = rows.get(`${batchId} ${number}`);
        return row?.state === 'held' || row?.state === 'unknown' ? [{ row, verdict }] : [];
      }),
    );
  });
}

/** How long a person waits before a batch with rows in doubt is closed after all. */
const patienceInMs = 30_000;

/** A person closes a batch at some time, beside whatever is under way, as soon as none of its rows is in doubt. */
export function closeLater(simulation: Simulation, random: Random): void {
  const batchId = random.pick([customersBatch, accountsBatch, twinsBatch]);
  const close = (): void => {
    changeAsPerson(
      simulation,
      'closeBatch',
      batchId,
      (draft) => draft.closeBatch(batchId),
      (outcome) => {
        if (outcome === 'in_doubt') simulation.world.after(patienceInMs, null, close);
        else
          changeAsPerson(simulation, 'closeUnsentRows', batchId, (draft) => draft.closeUnsentRows(batchId));
      },
    );
  };
  simulation.world.after(random.whole(0, 400_000), null, close);
}

function changeAsPerson<Value>(
  simulation: Simulation,
  name: string,
  batchId: string,
  act: (draft: ModelLedger) => Value,
  then: (value: Value) => void = () => {},
): void {
  const { world, transactions, watch, faults } = simulation;
  transactions.begin({
    name,
    batchId,
    actor: null,
    patienceInMs,
    workInMs: 2,
    commitInMs: faults.commitDelayInMs(),
    act,
    onCommitSent: () => {},
    onCommitted: (value) => {
      world.note('person', `${name} of ${batchId.slice(0, 2)}: ${value}`);
      watch.afterCommit();
      then(value);
    },
    // The next call goes on where this one was cut off.
    onUndone: () => {
      world.after(patienceInMs, null, () => changeAsPerson(simulation, name, batchId, act, then));
    },
  });
}

/** A row as somebody has looked at it, and what is true of it. */
interface Seen {
  readonly row: ModelRow;
  readonly verdict: Verdict;
}

function look(simulation: Simulation): Seen[] {
  const { network, api, model } = simulation;
  if (network.underWay > 0 || api.underWay > 0) return [];
  const open = [...model.rows.values()].filter(({ state }) => state === 'held' || state === 'unknown');
  return open.flatMap((row) => {
    const verdict = verdictOn(simulation, row);
    return verdict === undefined ? [] : [{ row, verdict }];
  });
}

function say(simulation: Simulation, seen: readonly Seen[]): number {
  const { model, transactions, world, watch } = simulation;
  // A verdict waits for the batch's lock, and is given later.
  const open = seen.filter(({ row }) => !transactions.isLocked(row.batchId));
  for (const { row, verdict } of open) {
    const isRecorded = model.writeVerdict(row, verdict);
    const late = isRecorded ? '' : ', and is too late';
    world.note('person', `says ${verdict.isSend ? 'send' : verdict.to} of ${placeOf(row)}${late}`);
    watch.afterCommit();
  }
  return open.length;
}

interface Verdict {
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly isSend: boolean;
  /** Of how many requests the person knew. */
  readonly attempts: number;
}

/** Undefined: no verdict is possible yet. */
function verdictOn({ api, model, world }: Simulation, row: ModelRow): Verdict | undefined {
  const request = model.requestOf(row);
  // A row that was held before its request was written is a customer, whose record says who it is.
  const natural =
    request === undefined
      ? `customer ${row.record['external_id']}`
      : naturalKeyOf(request.path, JSON.parse(request.body.toString('utf8')));
  const [object] = api.objectsOf(natural);
  const { attempts } = row;
  if (row.state === 'held' && world.random.chance(0.1)) {
    api.allowedTwice.add(natural);
    return { to: 'staged', objectId: null, isSend: true, attempts };
  }
  if (object !== undefined) {
    const isOwn = request !== undefined && object.key === request.idempotencyKey;
    return { to: isOwn ? 'created' : 'existing', objectId: object.id, isSend: false, attempts };
  }
  return row.firstSentAt === null ? undefined : { to: 'staged', objectId: null, isSend: false, attempts };
}
