import { requireOutFolder } from '../files/out-folder.ts';
import type { CallContext } from '../running/context.ts';
import { type OpenInputs, openInputs } from './inputs.ts';
import { readRules } from './judging.ts';
import { contentReadingsOf } from './known-contents.ts';
import { originalBatchesOf } from './original-batches.ts';
import { rememberedMappingsOf } from './remembered-mappings.ts';

/**
 * Opens the files of a call, tells what there is to tell of them, and closes them behind the work.
 * @param paths `-` is standard input
 * @throws PaybatchError (`usage`) without a folder for the results; (`file_refused`) when every file is refused
 */
export async function withInputs<Result>(
  app: CallContext,
  paths: readonly string[],
  work: (inputs: OpenInputs) => Promise<Result>,
): Promise<Result> {
  await requireOutFolder(app.settings.output);
  const rules = readRules(app.settings.reading.rules);
  const remembered = await rememberedMappingsOf(app);
  const [originalBatches, known] = [originalBatchesOf(app), contentReadingsOf(app)];
  const inputs = await openInputs(paths, app.settings, rules, originalBatches, remembered, app.ask, known);
  for (const text of inputs.notes)
    app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
  try {
    return await work(inputs);
  } finally {
    await inputs.close();
  }
}
