import type { LeasedBatch } from '../../src/domain/batches/batch.ts';
import { plainText } from '../../src/domain/settings/message.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import {
  decideVerdicts,
  type GivenVerdict,
  resolvedEvent,
} from '../../src/reconcile/verdicts/decide-rows.ts';
import type { MemoryRunLog } from './sending.ts';
import type { World } from './world.ts';

/** What `resolve` reads of a row, see `RowToResolve`. */
type Resolvable = Awaited<ReturnType<LedgerVerbs['findRowsToResolve']>>[number];

/**
 * A person looks at the API and says the truth about each row in doubt, through what `paybatch resolve` does.
 * Nothing is said about an object of which a request is under way.
 * @returns how many rows were decided
 */
export async function resolveAsPerson(
  world: World,
  verbs: LedgerVerbs,
  { batch, run }: LeasedBatch,
  runLog: MemoryRunLog,
): Promise<number> {
  const standing = await verbs.findRowsToResolve(batch.id, [...world.plan.numberOf.keys()]);
  const given = standing.flatMap((row) => verdictOn(world, row));
  if (given.length === 0) return 0;
  const rows = standing.filter(({ row }) => given.some((each) => each.row === row));
  // About the rows as this person saw them, which may have changed since.
  const asSeen = { ...verbs, findRowsToResolve: async () => rows };
  const { decided, problems } = await decideVerdicts(asSeen, batch, given);
  if (problems.length > 0) throw new Error(problems.map(plainText).join('; '));
  runLog.append(decided.map(resolvedEvent));
  await runLog.flush();
  const isRecorded = await verbs.writeVerdicts(batch.id, { runId: run.id, user: 'person' }, () => [decided]);
  for (const { row, verdict } of decided) {
    world.note(`person says ${verdict} of row ${row}${isRecorded ? '' : ', and is too late'}`);
  }
  return isRecorded ? decided.length : 0;
}

function verdictOn({ api, plan }: World, row: Resolvable): GivenVerdict[] {
  const number = plan.numberOf.get(row.row) ?? '';
  if ((row.state !== 'held' && row.state !== 'unknown') || api.isUnderWay(number)) return [];
  const [object] = api.objectsOf(number);
  const note = '';
  const about = { row: row.row, key: null, attempts: row.attempts, note };
  if (object === undefined)
    return row.firstSentAt === null ? [] : [{ ...about, verdict: 'not-created', id: null }];
  const verdict = object.key === row.idempotencyKey ? 'created' : 'existing';
  return [{ ...about, verdict, id: object.id }];
}
