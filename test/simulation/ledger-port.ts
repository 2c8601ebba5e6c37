import type { Kind } from '../../src/domain/kind.ts';
import type { RowConclusion } from '../../src/domain/ledger-row.ts';
import type { LedgerPort, ReferencePort } from '../../src/pipeline/ports.ts';
import type { KnownObject } from '../../src/resources/definition.ts';
import type { Faults } from './faults.ts';
import type { ModelLedger } from './model-ledger.ts';
import { placeOf } from './watch.ts';
import type { Actor, World } from './world.ts';

/** The one environment of a simulation. */
export const environmentId = 1;

/** The verbs that moving a staged batch on needs; staging itself is not simulated. */
export type MovingVerbs = Omit<
  LedgerPort,
  | 'beginBatch'
  | 'findBatch'
  | 'emptyUnstaged'
  | 'finishStaging'
  | 'giveUpBatch'
  | 'stageRows'
  | 'countStatuses'
  | 'beginRun'
  | 'endRunWithFiles'
  | 'readRevision'
>;

type Verb = <Value>(name: string, act: () => Value) => Promise<Value>;

export interface LedgerConnection {
  readonly verb: Verb;
  readonly ledger: MovingVerbs;
  readonly references: ReferencePort;
}

function databaseLost(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
}

/**
 * A program's connection to the ledger. Each verb arrives after a while, is carried out whole at one moment,
 * and replies after another while; it may fail before it is carried out, or its reply may be lost.
 */
export function connectLedger(options: {
  readonly world: World;
  readonly faults: Faults;
  readonly model: ModelLedger;
  readonly actor: Actor;
  readonly onCommit: () => void;
}): LedgerConnection {
  const { world, faults, model, actor, onCommit } = options;
  const verb: Verb = (name, act) =>
    new Promise((resolve, reject) => {
      const fate = faults.ledgerFate();
      if (fate !== null) actor.mayHaveLostLease = true;
      const travel = (): number => {
        const delayInMs = faults.ledgerDelayInMs();
        // Two of these in a row are longer than a lease lasts after a sign of life.
        if (delayInMs > 5_000) actor.mayHaveLostLease = true;
        return delayInMs;
      };
      const reply = (then: () => void): void => void world.after(travel(), actor, then);
      world.after(travel(), null, () => {
        // The connection of a program that died takes a statement with it that was not carried out yet.
        if (actor.isDead && world.random.chance(0.5)) return;
        if (fate === 'fails' || world.nowInMs < faults.ledgerDownUntilInMs) {
          world.note('ledger', `fails ${name} of ${actor.name}`);
          actor.mayHaveLostLease = true;
          return reply(() => reject(databaseLost()));
        }
        try {
          const value = act();
          world.note('ledger', `${name} of ${actor.name}`);
          onCommit();
          reply(() => (fate === 'reply_lost' ? reject(databaseLost()) : resolve(value)));
        } catch (error) {
          reply(() => reject(error));
        }
      });
    });
  return { verb, ledger: movingVerbs(verb, model, world), references: references(verb, model) };
}

function movingVerbs(verb: Verb, model: ModelLedger, world: World): MovingVerbs {
  return {
    listRowsToPrepare: (batchId, afterRow, limit, delayInMs) =>
      verb('listRowsToPrepare', () => model.listRowsToPrepare(batchId, afterRow, limit, delayInMs)),
    writePreparations: (batchId, runId, preparations) =>
      verb('writePreparations', () => model.writePreparations(batchId, runId, preparations)),
    claimRows: (claim) => verb('claimRows', () => model.claimRows(claim)),
    recordConclusions: (batchId, runId, conclusions) =>
      verb('recordConclusions', () => recordWatched(model, world, batchId, runId, conclusions)),
    prolongRun: (runId, leaseInMs) => verb('prolongRun', () => model.prolongRun(runId, leaseInMs)),
    endRun: (runId, exitCode) => verb('endRun', () => model.endRun(runId, exitCode)),
    takeOverExpired: (batchId) => verb('takeOverExpired', () => model.takeOverExpired(batchId)),
    holdExpiredKeys: (batchId, lifetimeInMs) =>
      verb('holdExpiredKeys', () => model.holdExpiredKeys(batchId, lifetimeInMs)),
    explainOtherCredentials: (batchId, credential) =>
      verb('explainOtherCredentials', () => model.explainOtherCredentials(batchId, credential)),
    hasMovableRows: (batchId) => verb('hasMovableRows', () => model.hasMovableRows(batchId)),
  };
}

/** Looks whether a conclusion whose token no longer stands changes its row. */
function recordWatched(
  model: ModelLedger,
  world: World,
  batchId: string,
  runId: string,
  conclusions: readonly RowConclusion[],
): Set<number> {
  const late = conclusions.flatMap(({ row: number, leaseToken }) => {
    const row = model.rows.get(`${batchId} ${number}`);
    return row === undefined || row.leaseToken === leaseToken ? [] : [{ row, changedAt: row.changedAt }];
  });
  const recorded = model.recordConclusions(batchId, runId, conclusions);
  for (const { row, changedAt } of late) {
    if (row.changedAt !== changedAt) world.violate('a late conclusion changes nothing', placeOf(row));
  }
  return recorded;
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
