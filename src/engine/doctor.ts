/* Checks everything that a run needs: this machine, the ledger, the run logs, the API. */

import type { CallResult } from '../account/result.ts';
import type { CallContext, EmptyRequest } from '../call/context.ts';
import { gravest } from '../domain/failures/paybatch-error.ts';
import type { Check } from '../domain/machine/checks.ts';
import { checkApi, checkKeyLifetime } from './doctor/api.ts';
import { checkDatabase } from './doctor/ledger.ts';
import { checkMachine } from './doctor/machine.ts';

/** What was checked, and what was found. */
interface DoctorResult extends CallResult {
  readonly checks: readonly Check[];
}

/** Checks everything that a run needs. The only request is a query for institutions. */
export async function examine(app: CallContext, _: EmptyRequest): Promise<DoctorResult> {
  const hasServer = app.connections.isLedgerOnServer();
  const database = await checkDatabase(app, hasServer);
  const api = await checkApi(app);
  const isHalt = ({ finding }: Check): boolean => finding.code === 'halted';
  const isUnproven = ({ finding }: Check): boolean => finding.code === 'live_key_unproven';
  const checks: readonly Check[] = [
    // While nothing is sent, whatever else is found changes nothing.
    ...database.filter(isHalt),
    // Nothing else may be read as what is found live.
    ...api.filter(isUnproven),
    ...checkMachine(app, hasServer),
    ...database.filter((check) => !isHalt(check)),
    ...api.filter((check) => !isUnproven(check)),
    ...checkKeyLifetime(app),
  ];
  const outcome = gravest(checks.map((check) => check.outcome));
  return { outcome, batches: [], failure: null, checks };
}
