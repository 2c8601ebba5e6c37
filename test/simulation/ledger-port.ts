import type { Kind } from '../../src/domain/batches/batch.ts';
import type { RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { KnownObject } from '../../src/kinds/definition.ts';
import type { ReferencePort } from '../../src/kinds/request.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import type { ProcessBatchContext } from '../../src/send/process-batch.ts';
import type { Faults } from './faults.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { ModelRow } from './model-row.ts';
import type { ModelRun } from './model-state.ts';
import { isOfServer, type ModelTransactions, serverError } from './model-transactions.ts';
import { placeOf } from './watch.ts';
import type { Actor, World } from './world.ts';

/** The one environment of a simulation. */
export const environmentId = 1;

/** The verbs that moving a staged batch on needs; staging itself is not simulated. */
export type MovingVerbs = ProcessBatchContext['ledger'] &
  Pick<LedgerVerbs, 'prolongRun' | 'endRun' | 'hasMovableRows'>;

/** @param when lets it be carried out; at once when absent */
type Verb = <Value>(name: string, act: () => Value, when?: (then: () => void) => void) => Promise<Value>;

/** A verb that changes a batch, in a transaction with its lock. */
type Change = <Value>(
  name: string,
  batchId: string,
  act: (draft: ModelLedger) => Value,
  options?: { readonly patienceInMs?: number; readonly watch?: () => () => void },
) => Promise<Value>;

export interface LedgerConnection {
  readonly beginRun: (run: Omit<Parameters<ModelLedger['beginRun']>[0], 'owner'>) => Promise<ModelRun>;
  readonly ledger: MovingVerbs;
  readonly references: ReferencePort;
}

interface Connection {
  readonly world: World;
  readonly faults: Faults;
  readonly model: ModelLedger;
  readonly transactions: ModelTransactions;
  readonly actor: Actor;
  readonly onCommit: () => void;
}

/** What the driver's pools allow a statement to wait for a lock. */
const lockTimes = { shortStatementInMs: 5_000, longInMs: 30_000 };

/**
 * A program's connection to the ledger. Each verb arrives after a while and replies after another while; it may fail
 * before it is carried out, or its reply may be lost, even before its COMMIT is done. What only reads is whole at one
 * moment, what changes a batch is a transaction (`ModelTransactions`). Verbs that may be repeated are, for 15 s.
 */
export function connectLedger(connection: Connection): LedgerConnection {
  const { model, actor } = connection;
  const verb = verbOf(connection);
  const change = changeOf(connection);
  return {
    beginRun: (run) =>
      change('beginRun', run.batchId, (draft) => draft.beginRun({ ...run, owner: actor.name }), {
        patienceInMs: lockTimes.longInMs,
      }),
    ledger: movingVerbs(connection, verb, change),
    references: references(verb, model),
  };
}

/** The ways of a verb to the ledger and back, and what becomes of it on them. */
function travelOf({ world, faults, actor }: Connection): {
  readonly fate: 'fails' | 'reply_lost' | null;
  readonly go: (arrive: () => void) => void;
  readonly reply: (then: () => void) => void;
} {
  const fate = faults.ledgerFate();
  if (fate !== null) actor.mayHaveLostLease = true;
  const delayInMs = (): number => {
    const drawn = faults.ledgerDelayInMs();
    // Two of these in a row are longer than a lease lasts after a sign of life.
    if (drawn > 5_000) actor.mayHaveLostLease = true;
    return drawn;
  };
  return {
    fate,
    // The connection of a program that died takes a statement with it that was not carried out yet.
    go: (arrive) => {
      world.after(delayInMs(), null, () => {
        if (!actor.isDead || world.random.chance(0.5)) arrive();
      });
    },
    reply: (then) => void world.after(delayInMs(), actor, then),
  };
}

function isAway({ world, faults, actor }: Connection, fate: string | null, name: string): boolean {
  if (fate !== 'fails' && world.nowInMs >= faults.ledgerDownUntilInMs) return false;
  world.note('ledger', `fails ${name} of ${actor.name}`);
  actor.mayHaveLostLease = true;
  return true;
}

function verbOf(connection: Connection): Verb {
  const { world, actor, onCommit } = connection;
  return (name, act, when = (then) => then()) =>
    new Promise((resolve, reject) => {
      const { fate, go, reply } = travelOf(connection);
      const carryOut = (): void => {
        try {
          const value = act();
          world.note('ledger', `${name} of ${actor.name}`);
          onCommit();
          reply(() => (fate === 'reply_lost' ? reject(serverError('08006')) : resolve(value)));
        } catch (error) {
          reply(() => reject(error));
        }
      };
      go(() => {
        if (isAway(connection, fate, name)) reply(() => reject(serverError('08006')));
        else when(carryOut);
      });
    });
}

function changeOf(connection: Connection): Change {
  const { world, faults, transactions, actor, onCommit } = connection;
  return (name, batchId, act, { patienceInMs = lockTimes.shortStatementInMs, watch } = {}) =>
    new Promise((resolve, reject) => {
      const { fate, go, reply } = travelOf(connection);
      const breaksEarly = fate === 'reply_lost' && world.random.chance(0.5);
      const commitInMs = faults.commitDelayInMs();
      go(() => {
        if (isAway(connection, fate, name)) {
          reply(() => reject(serverError('08006')));
          return;
        }
        transactions.begin({
          name,
          batchId,
          actor,
          act,
          patienceInMs,
          commitInMs,
          workInMs: world.random.chance(0.3) ? world.random.fraction() * 4 : 0,
          ...(watch === undefined ? {} : { watch }),
          onCommitSent: () => {
            if (breaksEarly) reply(() => reject(serverError('08006')));
          },
          onCommitted: (value) => {
            onCommit();
            if (!breaksEarly)
              reply(() => (fate === 'reply_lost' ? reject(serverError('08006')) : resolve(value)));
          },
          onUndone: (error) => {
            if (isOfServer(error)) {
              world.note('ledger', `undoes ${name} of ${actor.name}`);
              actor.mayHaveLostLease = true;
            }
            reply(() => reject(error));
          },
        });
      });
    });
}

/** How long a verb is repeated for that the ledger could not be reached for. */
const longestRetryInMs = 15_000;

function patienceOf({ world, actor }: Connection): <Value>(verb: () => Promise<Value>) => Promise<Value> {
  let isUsedUp = false;
  return async (verb) => {
    const untilInMs = world.nowInMs + longestRetryInMs;
    for (;;) {
      try {
        const value = await verb();
        isUsedUp = false;
        return value;
      } catch (error) {
        if (!isOfServer(error)) throw error;
        if (isUsedUp || world.nowInMs >= untilInMs) {
          isUsedUp = true;
          throw error;
        }
      }
      await new Promise<void>((resolve) => void world.after(world.random.whole(100, 1_000), actor, resolve));
    }
  };
}

function movingVerbs(connection: Connection, verb: Verb, change: Change): MovingVerbs {
  const { model, transactions } = connection;
  const retryTransient = patienceOf(connection);
  // What has no lock of a batch, but writes a run's line.
  const onceFree = (runId: string) => (then: () => void) => transactions.onceRunIsFree(runId, then);
  return {
    listRowsToPrepare: (batchId, afterRow, limit, delayInMs) =>
      retryTransient(() =>
        verb('listRowsToPrepare', () => model.listRowsToPrepare(batchId, afterRow, limit, delayInMs)),
      ),
    writePreparations: (batchId, runId, preparations) =>
      retryTransient(() =>
        change('writePreparations', batchId, (draft) =>
          draft.writePreparations(batchId, runId, preparations),
        ),
      ),
    claimRows: (claim) =>
      retryTransient(async () => {
        const isMade = await change('claimRows', claim.batchId, (draft) => draft.makeClaim(claim));
        // What was claimed is read once the lock is free: much may happen in between.
        return isMade ? verb('rowsOfClaim', () => model.rowsOfClaim(claim)) : [];
      }),
    recordConclusions: (batchId, runId, conclusions) =>
      retryTransient(() =>
        change(
          'recordConclusions',
          batchId,
          (draft) => draft.recordConclusions(batchId, runId, conclusions),
          { watch: () => watchLate(connection, batchId, conclusions) },
        ),
      ),
    prolongRun: (runId, leaseInMs) =>
      verb('prolongRun', () => model.prolongRun(runId, leaseInMs), onceFree(runId)),
    endRun: (runId, outcome) =>
      retryTransient(() => verb('endRun', () => model.endRun(runId, outcome), onceFree(runId))),
    takeOverExpired: (batchId) =>
      retryTransient(() => change('takeOverExpired', batchId, (draft) => draft.takeOverExpired(batchId))),
    holdExpiredKeys: (batchId, lifetimeInMs) =>
      retryTransient(() =>
        change('holdExpiredKeys', batchId, (draft) => draft.holdExpiredKeys(batchId, lifetimeInMs)),
      ),
    explainOtherCredentials: (batchId, credential) =>
      retryTransient(() =>
        change('explainOtherCredentials', batchId, (draft) =>
          draft.explainOtherCredentials(batchId, credential),
        ),
      ),
    stopIfRefusedAlike: (batchId, limit) =>
      retryTransient(() =>
        change('stopIfRefusedAlike', batchId, (draft) => draft.stopIfRefusedAlike(batchId, limit)),
      ),
    countUnknownClaims: (_, claims) =>
      retryTransient(() => verb('countUnknownClaims', () => model.countUnknownClaims(claims))),
    hasMovableRows: (batchId) =>
      retryTransient(() => verb('hasMovableRows', () => model.hasMovableRows(batchId))),
  };
}

/** Looks whether a conclusion whose token is no longer valid when it is committed changes its row. */
function watchLate(
  { model, world }: Connection,
  batchId: string,
  conclusions: readonly RowConclusion[],
): () => void {
  const rowOf = (number: number): ModelRow | undefined => model.rows.get(`${batchId} ${number}`);
  const late = conclusions.flatMap(({ row: number, leaseToken }) => {
    const row = rowOf(number);
    return row === undefined || row.leaseToken === leaseToken ? [] : [row];
  });
  return () => {
    for (const row of late) {
      if (rowOf(row.row)?.changedAt !== row.changedAt)
        world.violate('a late conclusion changes nothing', placeOf(row));
    }
  };
}

function references(verb: Verb, model: ModelLedger): ReferencePort {
  return {
    findByHandles: async (kind: Kind, handles: readonly string[]) => {
      const found = await verb('findByHandles', () => model.findByHandles(environmentId, kind, handles));
      return new Map(
        [...found].map(([handle, id]): [string, KnownObject] => [handle, { id, country: null }]),
      );
    },
    findCustomersById: () => verb('findCustomersById', () => new Map<string, KnownObject>()),
    // A simulated batch has no corrections: see test/concurrency/families.
    findRivals: async () => new Map(),
    findKeyOwners: (kind, keys) =>
      verb('findKeyOwners', () =>
        model.findKeyOwners(
          environmentId,
          kind,
          keys.map((key) => key.toString('hex')),
        ),
      ),
  };
}
