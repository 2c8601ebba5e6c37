/* What moving a batch on asks of the ledger and of the API: tests and the simulation put others in their place. */

import type { Sender } from '../api/sender.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

/** The ledger's verbs that move a batch on; `src/ledger` says what each promises. */
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

/** Sends one stored request, as often as its tries allow; `src/api` says what each conclusion means. */
export type SenderPort = Pick<Sender, 'send' | 'isApiInDoubt'>;
