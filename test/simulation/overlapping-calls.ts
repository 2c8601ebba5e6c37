import type { RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import type { LedgerVerbs } from '../../src/ledger/verbs.ts';
import {
  claimRequestOf,
  comparable,
  conclusionOn,
  credentials,
  decideOnRow,
  failingRows,
  keyLifetimeInMs,
  leaseInMs,
  type Pair,
  preparationsOf,
} from './ledger-pair.ts';
import { LedgerRefusal, type ModelLedger } from './model-ledger.ts';

/** One call of a verb, for the ledger and for its model. */
export interface OverlappingCall {
  readonly name: string;
  /** Whether a program calls it again when the reply was lost, while the first call may still be under way. */
  readonly isRepeatable: boolean;
  readonly ofLedger: (verbs: LedgerVerbs) => Promise<unknown>;
  /**
   * What it does to the model, one moment after the other: other calls may come in between. Made anew for each order
   * that is tried; the last moment gives the answer.
   */
  readonly moments: () => readonly ((model: ModelLedger) => unknown)[];
}

export type Run = Pair['runs'][number];

/** A verb that changes a batch, called by a program for its run; undefined when there is nothing that it could be about. */
type Draw = (pair: Pair, run: Run) => OverlappingCall | undefined;

export const draws = {
  claim: claimCall,
  record: recordCall,
  recheck: (pair, { batchId }) => {
    const rows = failingRows(pair, batchId);
    return whole('writeRechecked', (ledger) => ledger.writeRechecked(batchId, rows));
  },
  prepare: (pair, { id, batchId }) => {
    const listed = pair.model.listRowsToPrepare(batchId, 0, 100);
    const { preparations, rowsPerChunk } = preparationsOf(pair, batchId, listed);
    return whole('writePreparations', (ledger) =>
      ledger.writePreparations(batchId, id, preparations, rowsPerChunk),
    );
  },
  begin: (pair, { batchId }) => beginCall(pair, batchId, false),
  join: (pair, { batchId }) => beginCall(pair, batchId, true),
  endWithFiles: endWithFilesCall,
  end: (_, { id }) => whole('endRun', (ledger) => ledger.endRun(id, 'done')),
  prolong: (_, { id }) => whole('prolongRun', (ledger) => ledger.prolongRun(id, leaseInMs)),
  takeOver: (_, { batchId }) => whole('takeOverExpired', (ledger) => ledger.takeOverExpired(batchId)),
  holdExpired: (_, { batchId }) =>
    whole('holdExpiredKeys', (ledger) => ledger.holdExpiredKeys(batchId, keyLifetimeInMs)),
  explain: ({ random }, { batchId }) => {
    const credential = random.pick(credentials);
    return whole('explainOtherCredentials', (ledger) => ledger.explainOtherCredentials(batchId, credential));
  },
  retry: (_, { batchId }) => whole('returnRejected', (ledger) => ledger.returnRejected(batchId)),
  resolve: resolveCall,
} as const satisfies Readonly<Record<string, Draw>>;

export type CallName = keyof typeof draws;

/** A call that is whole at one moment, and is called alike on both sides. */
function whole(name: string, call: (ledger: LedgerVerbs | ModelLedger) => unknown): OverlappingCall {
  return { name, isRepeatable: true, ofLedger: async (verbs) => call(verbs), moments: () => [call] };
}

function claimCall(pair: Pair, run: Run): OverlappingCall {
  const request = claimRequestOf(pair, run);
  return {
    name: 'claimRows',
    isRepeatable: true,
    ofLedger: async (verbs) => {
      const rows = await verbs.claimRows(request);
      pair.claims.push({ batchId: run.batchId, runId: run.id, rows });
      return comparable(rows);
    },
    moments: () => {
      let isMade = false;
      return [
        (model) => {
          isMade = model.makeClaim(request);
        },
        // What was claimed is read when the lock is free again.
        (model) => comparable(isMade ? model.rowsOfClaim(request) : []),
      ];
    },
  };
}

function recordCall({ random, claims }: Pair, { batchId }: Run): OverlappingCall | undefined {
  const ofBatch = claims.filter((claim) => claim.batchId === batchId && claim.rows.length > 0).slice(-3);
  if (ofBatch.length === 0) return undefined;
  const { runId, rows } = random.pick(ofBatch);
  const conclusions = rows.map((row): RowConclusion => ({ ...row, conclusion: conclusionOn(random, row) }));
  return whole('recordConclusions', (ledger) => ledger.recordConclusions(batchId, runId, conclusions));
}

function beginCall(pair: Pair, batchId: string, join: boolean): OverlappingCall {
  const run = { id: pair.newId(), batchId, leaseInMs, join };
  return {
    name: run.join ? 'beginRun joined' : 'beginRun',
    isRepeatable: false,
    ofLedger: async (verbs) => {
      try {
        await verbs.beginRun({ ...run, command: 'import' });
      } catch (error) {
        // By its name: in a copy of the sources the class is another one.
        if (error instanceof Error && 'code' in error && error.name === 'PaybatchError') return error.code;
        throw error;
      }
      pair.runs.push(run);
      return 'begun';
    },
    moments: () => [
      (model) => {
        try {
          model.beginRun({ ...run, owner: 'this program', mayBeAlive: () => true });
        } catch (error) {
          if (error instanceof LedgerRefusal) return error.message;
          throw error;
        }
        return 'begun';
      },
    ],
  };
}

function endWithFilesCall({ random }: Pair, { id, batchId }: Run): OverlappingCall {
  const isLastTry = random.chance(0.3);
  return {
    name: isLastTry ? 'endRunWithFiles for the last time' : 'endRunWithFiles',
    isRepeatable: true,
    ofLedger: async (verbs) => {
      const revision = await verbs.readRevision(batchId);
      return verbs.endRunWithFiles({ id, batchId, outcome: 'done', revision }, isLastTry);
    },
    moments: () => {
      let revision = 0;
      return [
        (model) => {
          revision = model.revisionOf(batchId);
        },
        (model) => model.endRunWithFiles(id, revision, isLastTry),
      ];
    },
  };
}

function resolveCall(pair: Pair, { batchId }: Run): OverlappingCall | undefined {
  const decided = decideOnRow(pair, batchId);
  if (decided === undefined) return undefined;
  const by = { runId: pair.newId(), user: 'somebody' };
  const { row: number, fromState, verdict, to, objectId, attempts } = decided;
  return {
    name: `writeVerdicts ${verdict}`,
    isRepeatable: false,
    ofLedger: (verbs) => verbs.writeVerdicts(batchId, by, () => [[decided]]),
    moments: () => [
      (model) => {
        const row = model.rows.get(`${batchId} ${number}`);
        if (row?.state !== fromState) return false;
        return model.writeVerdict(row, { to, objectId, isSend: verdict === 'send', attempts });
      },
    ],
  };
}
