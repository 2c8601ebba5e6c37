import { naturalKeyOf } from './model-api.ts';
import type { ModelRow } from './model-row.ts';
import type { Simulation } from './simulation.ts';
import { placeOf } from './watch.ts';

/**
 * A person looks at the API and says the truth about every row that is held; now and then, that a second
 * object shall be made. Looks only when nothing is under way, as people are told to.
 * @returns how many rows were moved on
 */
export function resolveRows(simulation: Simulation, isLast: boolean): number {
  const { network, api, model, transactions, world } = simulation;
  if (network.underWay > 0 || api.underWay > 0) return 0;
  // A verdict waits for the batch's lock, and is given later.
  const open = [...model.rows.values()].filter(
    ({ state, batchId }) =>
      !transactions.isLocked(batchId) && (state === 'held' || (isLast && state === 'unknown')),
  );
  const decided = open.flatMap((row) => {
    const verdict = verdictOn(simulation, row);
    return verdict === undefined ? [] : [{ row, verdict }];
  });
  for (const { row, verdict } of decided) {
    model.writeVerdict(row, verdict);
    world.note('person', `says ${verdict.isSend ? 'send' : verdict.to} of ${placeOf(row)}`);
    simulation.watch.afterCommit();
  }
  return decided.length;
}

interface Verdict {
  readonly to: 'created' | 'existing' | 'staged';
  readonly objectId: string | null;
  readonly isSend: boolean;
}

/** Undefined: nobody can say anything yet. */
function verdictOn({ api, model, world }: Simulation, row: ModelRow): Verdict | undefined {
  const request = model.requestOf(row);
  // A row that was held before its request was written is a customer, whose record says who it is.
  const natural =
    request === undefined
      ? `customer ${row.record['external_id']}`
      : naturalKeyOf(request.path, JSON.parse(request.body.toString('utf8')));
  const [object] = api.objectsOf(natural);
  if (row.state === 'held' && world.random.chance(0.1)) {
    api.allowedTwice.add(natural);
    return { to: 'staged', objectId: null, isSend: true };
  }
  if (object !== undefined) {
    const isOwn = request !== undefined && object.key === request.idempotencyKey;
    return { to: isOwn ? 'created' : 'existing', objectId: object.id, isSend: false };
  }
  return row.firstSentAt === null ? undefined : { to: 'staged', objectId: null, isSend: false };
}
