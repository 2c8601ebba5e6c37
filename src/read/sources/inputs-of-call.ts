/* Opens the files of a call: all of them are whole, and those that are refused are named together. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '../../call/context.ts';
import { asFailure } from '../../call/start.ts';
import { requireOutFolder } from '../../disk/file-system.ts';
import { FilesRefused, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { say } from '../../domain/settings/message.ts';
import { openMappingText, openPointsText } from '../../domain/tables/mapping.ts';
import { mayBeUnfinished, type SeenFile, seenFile } from '../file/signature.ts';
import { type OpenInputs, openInputs } from './inputs.ts';
import type { FileCall } from './readings.ts';
import { contentReadingsOf, rememberedMappingsOf } from './remembered-mappings.ts';
import { type FileReadings, readRules } from './stated-reading.ts';

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
  const { settings, ask } = app;
  const rules = readRules(settings.reading.rules);
  const remembered = await rememberedMappingsOf(app);
  const { paths: whole, growing } = await withoutGrowing(paths, app);
  if (whole.length === 0 && growing.length > 0) throw new FilesRefused(growing);
  const inputs = await openInputs(whole, {
    settings,
    ofFile,
    rules,
    remembered,
    ask,
    findOriginalBatch: originalBatchesOf(app),
    findContentReadings: contentReadingsOf(app),
  });
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
    openMappingText(name, reading.open ?? []),
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

/**
 * Looks up batches while files are opened. The ledger is opened only if a file needs it. A missing ledger is not
 * created.
 */
export function originalBatchesOf({ connections }: CallContext): FileCall['findOriginalBatch'] {
  return async (batchId) => {
    if (!connections.isLedgerThere()) return undefined;
    return (await connections.ledger()).verbs.findOriginalBatch(batchId);
  };
}

/* Files that may be incomplete: still being written, or without the line end of their last line. */

/** A file that changed longer ago than this counts as completely written. */
const recentInMs = 60_000;

/** The delay of the second look, after which a file that is being written has grown. */
const secondLookAfterInMs = 2_000;

/** The files of a call, and those that are skipped since they are being written. */
interface WholeFiles {
  readonly paths: readonly string[];
  readonly growing: readonly PaybatchError[];
}

/**
 * Looks twice, two seconds apart, at files that changed within the last minute and have an incomplete end.
 * @param paths `-` and paths that are not files are passed through
 */
export async function withoutGrowing(
  paths: readonly string[],
  { clock, interrupted }: Pick<CallContext, 'clock' | 'interrupted'>,
): Promise<WholeFiles> {
  const nowInMs = clock.now().getTime();
  const unfinished = new Map<string, SeenFile>();
  for (const path of paths) {
    const seen = path === '-' ? null : await seenFile(path);
    const isRecent = seen !== null && seen.changedAtInMs > nowInMs - recentInMs;
    if (isRecent && (await mayBeUnfinished(path, seen))) unfinished.set(path, seen);
  }
  if (unfinished.size === 0) return { paths, growing: [] };
  await sleep(secondLookAfterInMs, undefined, { signal: interrupted }).catch(() => {});
  const growing: PaybatchError[] = [];
  for (const [path, before] of unfinished) {
    const now = await seenFile(path);
    const isGrown =
      now !== null && (before.bytes !== now.bytes || before.changedAtInMs !== now.changedAtInMs);
    if (isGrown) growing.push(growingFile(path));
  }
  const left = new Set(growing.map(({ file }) => file));
  return { paths: paths.filter((path) => !left.has(path)), growing };
}

function growingFile(path: string): PaybatchError {
  return new PaybatchError(
    'file_may_be_growing',
    `${path}: The file is still being written: it has grown while it was looked at. Nothing of it was read.`,
    { action: 'again', effect: 'once it is whole; copy it under another name first, and then rename it' },
    { file: path },
  );
}

/**
 * The inputs of a call without the files that may be incomplete: those that are being written, and with
 * `requireComplete` those whose last line has no line end.
 * @throws FilesRefused when no file is left
 */
function onlyWhole(
  inputs: OpenInputs,
  growing: readonly PaybatchError[],
  { requireComplete, skipRefused }: CallContext['settings']['controls'],
): OpenInputs {
  const cut = requireComplete ? inputs.inputTables.filter(({ hasLineEnd }) => hasLineEnd === false) : [];
  if (growing.length === 0 && cut.length === 0) return inputs;
  const refused = [...growing, ...inputs.refused, ...cut.map(({ path }) => cutFile(path))];
  const inputTables = inputs.inputTables.filter((inputTable) => !cut.includes(inputTable));
  if (inputTables.length === 0) throw new FilesRefused(refused);
  return { ...inputs, inputTables, refused, mayContinue: skipRefused };
}

function cutFile(path: string): PaybatchError {
  const name = path === '-' ? 'standard input' : path;
  return new PaybatchError(
    'file_may_be_cut',
    say`${name}: The last line has no line end, so the file may be cut off, and ${{ setting: 'requireComplete' }} asks for whole files.`,
    'compare the last row with its source, and copy the file again',
    { file: path },
  );
}
