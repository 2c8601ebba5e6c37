import { existsSync } from 'node:fs';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { someFile } from '../../domain/failures/next-command.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { readRunLog } from '../../output/log/run-log.ts';
import { batchIdOf, type HeldBatch, type Intake } from '../../pipeline/intake/take-in.ts';
import { readingOptions, repeatedOptions } from '../access/repeated-options.ts';
import { runLogPath } from '../files/files-of-batch.ts';
import type { JobContext } from '../running/context.ts';

/**
 * A batch that is new to this ledger, and whose run log has keys, was sent under those keys by a ledger that
 * is lost, or another one: under new keys every object would come to exist a second time. In sandbox mode,
 * where people throw ledgers away to try again, that is worth a warning only.
 * @throws Failure (exit 2) in live mode; it names the run log
 */
export async function refuseLostLedger(
  app: JobContext,
  staged: readonly HeldBatch[],
  intakes: readonly Intake[],
): Promise<void> {
  for (const { batch, isNew } of staged) {
    const log = runLogPath(app, batch);
    if (!isNew || !existsSync(log) || !(await hasKeys(log))) continue;
    const problem = `${batch.fileName} was sent before, by a ledger that is not this one: the run log in --out has keys that this ledger does not know.`;
    const file = intakes.find((intake) => batchIdOf(intake, batch) === batch.id)?.path ?? someFile;
    const options = [...readingOptions(app), ...repeatedOptions(app, batch)];
    const words = ['paybatch', 'recover', '--log', log, file, ...options];
    const cure = `${words.map(shellWord).join(' ')}, or use the ledger that it was sent by`;
    if (batch.mode === 'live') {
      throw new Failure(
        exitCodes.usage,
        'ledger_lost',
        problem,
        `${cure}; only to send everything anew, move that log away`,
      );
    }
    app.report({ kind: 'note', text: problem, advice: `If that ledger was lost: ${cure}.` });
  }
}

async function hasKeys(log: string): Promise<boolean> {
  for await (const { event } of readRunLog(log)) if (event === 'row.staged') return true;
  return false;
}
