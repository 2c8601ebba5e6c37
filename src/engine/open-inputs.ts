/* Opens the files of a call, and names those that are refused. */

import type { CallContext } from '../call/context.ts';
import { asFailure } from '../call/stop-cause.ts';
import { readRules } from '../check/judging.ts';
import { requireOutFolder } from '../disk/out-folder.ts';
import { FilesRefused, PaybatchError } from '../domain/failures/paybatch-error.ts';
import { openPointsText } from '../domain/tables/mapping.ts';
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
 * The same for a call that sends rows, or plans to: a file whose mapping has points that no person has confirmed is
 * refused.
 * @throws PaybatchError as `openInputsOfCall`; FilesRefused (`mapping_open`) when no file is left
 */
export async function openConfirmedInputs(
  app: CallContext,
  paths: readonly string[],
  ofFile?: FileReadings,
): Promise<OpenInputs> {
  const inputs = await openInputsOfCall(app, paths, ofFile);
  const open = inputs.inputTables.filter(({ reading }) => (reading.open ?? []).length > 0);
  if (open.length === 0) return inputs;
  const refused = [
    ...inputs.refused,
    ...[...new Map(open.map((each) => [each.path, each])).values()].map(unconfirmed),
  ];
  const inputTables = inputs.inputTables.filter(({ path }) => open.every((each) => each.path !== path));
  if (inputTables.length > 0) {
    return { ...inputs, inputTables, refused, mayContinue: app.settings.controls.skipRefused };
  }
  await inputs.close();
  throw new FilesRefused(refused);
}

/** Says of each file with an unconfirmed mapping, where it is only checked, that it cannot be sent like this. */
export function noteUnconfirmed(app: CallContext, { inputTables }: Pick<OpenInputs, 'inputTables'>): void {
  for (const { fileName, reading } of inputTables) {
    if ((reading.open ?? []).length === 0) continue;
    const text = `No person has confirmed how it is read, so it cannot be sent like this. Open in its mapping: ${openPointsText(reading.open ?? [])}.`;
    app.report({ kind: 'note', note: { code: 'file_remark', file: fileName, text } });
  }
}

function unconfirmed({ path, reading }: OpenInputs['inputTables'][number]): PaybatchError {
  const name = path === '-' ? 'standard input' : path;
  return new PaybatchError(
    'mapping_open',
    `${name}: No person has confirmed how it is read, so nothing of it is sent. Open in its mapping: ${openPointsText(reading.open ?? [])}.`,
    [
      { action: 'mapping', file: path, effect: 'asks about each of them' },
      'read the mapping, and delete "open" from it',
    ],
    { file: path },
  );
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
