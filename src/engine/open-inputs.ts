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
 * Opens the files of a call, and tells what there is to tell of them. The caller closes them.
 * @param paths `-` is standard input
 * @param ofFile what was said of one of them alone
 * @throws PaybatchError (`usage`) without a folder for the results; (`file_refused`) when every file is refused
 */
export async function openInputsOfCall(
  app: CallContext,
  paths: readonly string[],
  ofFile?: FileReadings,
): Promise<OpenInputs> {
  await requireOutFolder(app.settings.output);
  const rules = readRules(app.settings.reading.rules);
  const remembered = await rememberedMappingsOf(app);
  const [originalBatches, known] = [originalBatchesOf(app), contentReadingsOf(app)];
  const settings = { ...app.settings, ofFile };
  const { paths: whole, growing } = await withoutGrowing(paths, app);
  if (whole.length === 0 && growing.length > 0) throw new FilesRefused(growing);
  const inputs = await openInputs(whole, settings, rules, originalBatches, remembered, app.ask, known);
  for (const text of inputs.notes)
    app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
  try {
    return onlyWhole(inputs, growing, settings.controls);
  } catch (error) {
    await inputs.close();
    throw error;
  }
}

/**
 * What a call ends with that could not go on. Where files could not be opened and nothing may go on without them, the others
 * were looked at only to name all that is refused at once: what else is in the way then says nothing that a person could use
 * before those files are mended, unless the person stopped it.
 * @param error that the look at the files which could be opened has thrown
 * @returns FilesRefused that names at least the files that could not be opened; else the same error
 */
export function refusalOfFiles(
  { refused, mayContinue }: Pick<OpenInputs, 'refused' | 'mayContinue'>,
  error: unknown,
): unknown {
  if (mayContinue) return error;
  const failure = asFailure(error);
  const tellsAll = failure instanceof FilesRefused || !(failure instanceof PaybatchError);
  return tellsAll || failure.code === 'interrupted' ? error : new FilesRefused(refused);
}
