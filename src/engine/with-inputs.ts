/* Opening the files of a call, and naming those that are refused. */

import type { CallContext } from '../call/context.ts';
import { asFailure } from '../call/stop-cause.ts';
import { readRules } from '../check/judging.ts';
import { requireOutFolder } from '../disk/out-folder.ts';
import { FilesRefused, PaybatchError } from '../domain/failures/paybatch-error.ts';
import { type OpenInputs, openInputs } from '../read/sources/inputs.ts';
import { type FileReadings, originalBatchesOf } from '../read/sources/readings.ts';
import { contentReadingsOf, rememberedMappingsOf } from '../read/sources/remembered-mappings.ts';
import { onlyWhole, withoutGrowing } from '../read/sources/unfinished-files.ts';

/**
 * Looks at the files of a call that could be opened. Where others were refused and nothing may go on without them,
 * this is only to name all that is refused at once: what else is in the way then says nothing that a person could use
 * before those files are mended, unless the person stopped it.
 * @throws FilesRefused that names at least the files that could not be opened
 */
export async function namingRefused<Result>(
  { refused, mayContinue }: Pick<OpenInputs, 'refused' | 'mayContinue'>,
  look: () => Promise<Result>,
): Promise<Result> {
  if (mayContinue) return look();
  try {
    return await look();
  } catch (error) {
    const failure = asFailure(error);
    if (
      !(failure instanceof PaybatchError) ||
      failure instanceof FilesRefused ||
      failure.code === 'interrupted'
    )
      throw error;
    throw new FilesRefused(refused);
  }
}

/**
 * Opens the files of a call, tells what there is to tell of them, and closes them behind the work.
 * @param paths `-` is standard input
 * @param ofFile what was said of one of them alone
 * @throws PaybatchError (`usage`) without a folder for the results; (`file_refused`) when every file is refused
 */
export async function withInputs<Result>(
  app: CallContext,
  paths: readonly string[],
  work: (inputs: OpenInputs) => Promise<Result>,
  ofFile?: FileReadings,
): Promise<Result> {
  await requireOutFolder(app.settings.output);
  const rules = readRules(app.settings.reading.rules);
  const remembered = await rememberedMappingsOf(app);
  const [originalBatches, known] = [originalBatchesOf(app), contentReadingsOf(app)];
  const settings = { ...app.settings, ofFile };
  const { paths: whole, growing } = await withoutGrowing(paths, app);
  if (whole.length === 0 && growing.length > 0) throw new FilesRefused(growing);
  const inputs = await openInputs(whole, settings, rules, originalBatches, remembered, app.ask, known);
  try {
    for (const text of inputs.notes)
      app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
    return await work(onlyWhole(inputs, growing, settings.controls));
  } finally {
    await inputs.close();
  }
}
