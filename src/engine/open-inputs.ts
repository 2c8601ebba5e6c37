/* Opens the files of a call, and names those that are refused. */

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
 * Opens the files of a call, and reports what is to be reported of them. The caller closes them.
 * @param paths `-` is standard input
 * @param ofFile the options for single files
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
 * The error of a call that could not continue. Where files could not be opened and nothing may continue without them, the
 * others were checked only to name all refused files at once. Any other error then is of no use to a person before those
 * files are fixed, unless the person stopped the call.
 * @param error of the check of the files that could be opened
 * @returns FilesRefused that names at least the files that could not be opened; otherwise the same error
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
