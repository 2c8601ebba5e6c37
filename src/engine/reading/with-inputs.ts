import { type LedgerOfCall, withLedger } from '../access/ledger-access.ts';
import { requireOutFolder } from '../files/out-folder.ts';
import type { CallContext } from '../running/context.ts';
import { type OpenInputs, openInputs } from './inputs.ts';
import { readRules } from './judging.ts';
import { contentReadingsOf } from './known-contents.ts';
import { originalBatchesOf } from './original-batches.ts';
import { rememberedMappingsOf } from './remembered-mappings.ts';

/**
 * Opens the files of a call, tells what there is to tell of them, and lets go of them and of the ledger behind the work.
 * @param paths `-` is standard input
 * @throws PaybatchError (`usage`) without a folder for the results; (`file_refused`) when every file is refused
 */
export async function withInputs<Result>(
  app: CallContext,
  paths: readonly string[],
  work: (inputs: OpenInputs, ledger: LedgerOfCall) => Promise<Result>,
): Promise<Result> {
  await requireOutFolder(app.settings.output);
  const rules = readRules(app.settings.reading.rules);
  return withLedger(app, async (ledger) => {
    const remembered = await rememberedMappingsOf(app, ledger);
    const [originalBatches, known] = [originalBatchesOf(app, ledger), contentReadingsOf(app, ledger)];
    const inputs = await openInputs(paths, app.settings, rules, originalBatches, remembered, app.ask, known);
    for (const note of inputs.notes) app.report({ kind: 'note', text: note });
    try {
      return await work(inputs, ledger);
    } finally {
      await inputs.close();
    }
  });
}
