/* What processing a batch needs of the ledger and of the API. Tests and the simulation replace these. */

import type { Sender } from '../api/sender.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** The ledger's verbs that process a batch; `src/ledger` documents each. */
export type LedgerPort = Pick<
  LedgerVerbs,
  | 'beginBatch'
  | 'findBatch'
  | 'emptyUnstaged'
  | 'finishStaging'
  | 'giveUpBatch'
  | 'stageRows'
  | 'listRowsToPrepare'
  | 'writePreparations'
  | 'claimRows'
  | 'recordConclusions'
  | 'beginRun'
  | 'prolongRun'
  | 'endRun'
  | 'readRevision'
  | 'endRunWithFiles'
  | 'takeOverExpired'
  | 'holdExpiredKeys'
  | 'explainOtherCredentials'
  | 'countStatuses'
  | 'hasMovableRows'
  | 'countUnknownClaims'
  | 'stopIfRefusedAlike'
>;

/** Sends one stored request, as often as its tries allow; `src/api` documents each conclusion. */
export type SenderPort = Pick<Sender, 'send' | 'isApiInDoubt'>;
