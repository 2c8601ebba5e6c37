import type { Kind } from '../../src/domain/kind.ts';
import type { KnownObject } from '../../src/resources/definition.ts';
import type { LedgerPort, ReferencePort } from '../../src/pipeline/ports.ts';
import type { Faults } from './faults.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { Actor, World } from './world.ts';

/** The one environment of a simulation. */
export const environmentId = 1;

/** The verbs that moving a staged batch on needs; staging itself is not simulated. */
export type MovingVerbs = Omit<
  LedgerPort,
  'beginBatch' | 'findBatch' | 'emptyUnstaged' | 'finishStaging' | 'giveUpBatch' | 'stageRows' | 'countStatuses' | 'beginRun'
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
      const { random } = world;
      const fate = faults.ledgerFate();
      if (fate !== null) actor.mayHaveLostLease = true;
      const travel = (): number => {
        if (!random.chance(0.02)) return random.fraction() * 8;
        actor.mayHaveLostLease = true;
        return random.whole(500, 20_000);
      };
      const reply = (then: () => void): void => void world.after(travel(), actor, then);
      world.after(travel(), null, () => {
        // The connection of a program that died takes a statement with it that was not carried out yet.
        if (actor.isDead && random.chance(0.5)) return;
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
  return { verb, ledger: movingVerbs(verb, model), references: references(verb, model) };
}

function movingVerbs(verb: Verb, model: ModelLedger): MovingVerbs {
  return {
    listRowsToPrepare: (batchId, afterRow, limit) =>
      verb('listRowsToPrepare', () => model.listRowsToPrepare(batchId, afterRow, limit)),
    writePreparations: (batchId, runId, preparations) =>
      verb('writePreparations', () => model.writePreparations(batchId, runId, preparations)),
    claimRows: (claim) => verb('claimRows', () => model.claimRows(claim)),
    recordConclusions: (batchId, _runId, conclusions) =>
      verb('recordConclusions', () => model.recordConclusions(batchId, conclusions)),
    prolongRun: (runId, batchId, leaseInMs) =>
      verb('prolongRun', () => model.prolongRun(runId, batchId, leaseInMs)),
    endRun: (runId, exitCode) => verb('endRun', () => model.endRun(runId, exitCode)),
    takeOverExpired: (batchId) => verb('takeOverExpired', () => model.takeOverExpired(batchId)),
    holdExpiredKeys: (batchId, lifetimeInMs) =>
      verb('holdExpiredKeys', () => model.holdExpiredKeys(batchId, lifetimeInMs)),
    explainOtherCredentials: (batchId, credential) =>
      verb('explainOtherCredentials', () => model.explainOtherCredentials(batchId, credential)),
    hasMovableRows: (batchId) => verb('hasMovableRows', () => model.hasMovableRows(batchId)),
  };
}

function references(verb: Verb, model: ModelLedger): ReferencePort {
  return {
    findByHandles: async (kind: Kind, handles: readonly string[]) => {
      const found = await verb('findByHandles', () => model.findByHandles(environmentId, kind, handles));
      return new Map([...found].map(([handle, id]): [string, KnownObject] => [handle, { id, country: null }]));
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
