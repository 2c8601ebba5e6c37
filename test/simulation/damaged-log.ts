import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogProof } from '../../src/domain/batches/run.ts';
import type { RestedRow, Restoration, RowToRestore } from '../../src/domain/rows/ledger-row.ts';
import type { PlacedEvent } from '../../src/recover/logged-rows.ts';
import { rowEventsInMemory } from '../recover/row-events-in-memory.ts';
import { type Damage, damaged, damages } from '../support/damaged-log.ts';
import { type Engine, realEngine } from './engine.ts';
import { createRandom } from './random.ts';
import { customersBatch } from './scenario.ts';
import { atRest, breakThings, type Outcome, startPlannedRuns } from './simulate.ts';
import { Simulation } from './simulation.ts';

/** What came of a schedule whose ledger was lost, and whose log is damaged. */
export interface DamagedOutcome extends Outcome {
  readonly damage: Damage;
  /** Whether the recovery says that the log is damaged. */
  readonly isNamed: boolean;
  /** How many rows it holds for that. */
  readonly held: number;
}

/** A log as it is found, with the head beside it. */
interface FoundLog {
  readonly text: string;
  readonly head: string | null;
}

/**
 * Runs of one batch, of which everything can fail; then the ledger is lost, one of the logs is damaged, and the batch is
 * recovered from the logs of both hosts. What the recovery would let go again must not be sent under another key than
 * the one that has created an object.
 */
export async function simulateDamagedLog(seed: number, engine: Engine = realEngine): Promise<DamagedOutcome> {
  const simulation = Simulation.begin(seed, engine, 'one log');
  const { world, uses } = simulation;
  breakThings(simulation);
  await startPlannedRuns(simulation, false);
  simulation.faults.end();
  await atRest(simulation);
  const random = createRandom(seed ^ 0x10600d);
  const logs = ([0, 1] as const).flatMap((host): FoundLog[] => {
    const { text, head } = simulation.diskOf({ batchId: customersBatch, host });
    return text.split('\n').length < 6 ? [] : [{ text, head }];
  });
  const damage = damages[seed % damages.length] ?? 'changed';
  const withHead = random.chance(0.5);
  const victim = random.whole(0, Math.max(0, logs.length - 1));
  const found = logs.map((log, at) => {
    if (at !== victim) return log;
    return { text: damaged(log.text, damage, random), head: withHead ? log.head : null };
  });
  // Without its head, a log that was cut looks like that of a run that was killed.
  const holdsRest = damage === 'cut' && !withHead;
  const { proofs, rows, held } = await recoverFrom(engine, simulation, found, holdsRest).catch(asRefused);
  if (world.violations.length === 0 && found.length > 0 && rows !== null) checkRows(simulation, rows);
  return {
    seed,
    violations: world.violations,
    trace: world.trace,
    traceHash: world.traceHash(),
    events: world.eventCount,
    requests: uses.sent,
    damage,
    isNamed: proofs.some((proof) => proof.damages.length > 0),
    held,
  };
}

/** What is refused as a whole, since it names several batches, sends nothing. */
function asRefused(error: unknown): Awaited<ReturnType<typeof recoverFrom>> {
  if (!(error instanceof Error) || !error.message.includes('belong to several batches')) throw error;
  return { proofs: [], rows: null, held: 0 };
}

/** The state of a row in the rebuilt ledger. */
interface RecoveredRow {
  readonly state: RowToRestore['state'] | RestedRow['state'] | Restoration['state'];
  /** The key under which it is sent again, if it is. */
  readonly key: string | null;
}

async function recoverFrom(
  engine: Engine,
  { model }: Simulation,
  logs: readonly FoundLog[],
  holdsRest: boolean,
): Promise<{ proofs: LogProof[]; rows: ReadonlyMap<number, RecoveredRow> | null; held: number }> {
  const proofs: LogProof[] = [];
  const rows = new Map<number, RecoveredRow>();
  if (logs.length === 0) return { proofs, rows, held: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'paybatch-damaged-'));
  try {
    const events = eventsOf(engine, folder, logs, proofs);
    const history = await engine.readHistory(events, rowEventsInMemory(), { proofs, holdsRest });
    const staged = model.rowsOf(customersBatch).map(({ row, record }): RowToRestore => {
      rows.set(row, { state: 'staged', key: null });
      const anew = { state: 'staged', code: null, generation: 1, firstSentAt: null, request: null } as const;
      return { row, record, resource: 'customers', ...anew, earlierKeys: [] };
    });
    const { held } = await engine.restoreBatch({
      ledger: {
        findLastRow: async () => Math.max(...rows.keys()),
        listRowsToRestore: async (_, first, last) => staged.filter(({ row }) => row >= first && row <= last),
        restoreRows: async (_batch, _run, restorations, rested = []) => {
          for (const { ready, state } of restorations)
            rows.set(ready.row, { state, key: ready.idempotencyKey });
          for (const { row, state } of rested) rows.set(row, { state, key: null });
        },
        keepLoggedClaims: async () => {},
        keepLoggedKeys: async () => {},
      },
      references: {
        findByHandles: async () => new Map(),
        findCustomersById: async () => new Map(),
        findKeyOwners: async () => new Map(),
        findRivals: async () => new Map(),
      },
      batchId: customersBatch,
      runId: 'recovery',
      history,
      isLedgerWhole: false,
    });
    return { proofs, rows, held };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* eventsOf(
  engine: Engine,
  folder: string,
  logs: readonly FoundLog[],
  proofs: LogProof[],
): AsyncGenerator<PlacedEvent> {
  for (const [log, { text, head: headText }] of logs.entries()) {
    const path = join(folder, `${log}.run.jsonl`);
    await writeFile(path, text);
    if (headText !== null) await writeFile(join(folder, `${log}.run.head`), headText);
    const head = await engine.readRunHead(path);
    const options = { known: { head, kept: [] }, onProof: (proof: LogProof) => proofs.push(proof) };
    yield { event: 'other', batch: customersBatch };
    for await (const { event, line } of engine.readRunLogLines(path, options)) {
      if (event.event === 'log.mended') continue;
      yield { ...(event as PlacedEvent), place: { log, line } };
    }
  }
}

/** Rows that would get a new key, and rows that would be sent again under theirs, against what the API has. */
function checkRows({ world, api, model }: Simulation, rows: ReadonlyMap<number, RecoveredRow>): void {
  for (const { row, record } of model.rowsOf(customersBatch)) {
    const { state, key } = rows.get(row) ?? { state: 'staged', key: null };
    const objects = api.objectsOf(`customer ${record['external_id']}`);
    const getsNewKey = state === 'staged' || state === 'rejected' || state === 'waiting';
    const isTwice = getsNewKey
      ? objects.length > 0
      : state === 'unknown' && objects.some((object) => object.key !== key);
    if (isTwice)
      world.violate('a damaged log sends nothing twice', `row ${row} is ${state}, and its object exists`);
  }
}
