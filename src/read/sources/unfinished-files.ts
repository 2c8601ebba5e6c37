/* Files that may be incomplete: still being written, or without the line end of their last line. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '../../call/context.ts';
import { FilesRefused, PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { say } from '../../domain/settings/message.ts';
import { mayBeUnfinished, type SeenFile, seenFile } from '../file/signature.ts';
import type { OpenInputs } from './inputs.ts';

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
    if (now !== null && isChanged(before, now)) growing.push(growingFile(path));
  }
  const left = new Set(growing.map(({ file }) => file));
  return { paths: paths.filter((path) => !left.has(path)), growing };
}

function isChanged(before: SeenFile, now: SeenFile): boolean {
  return before.bytes !== now.bytes || before.changedAtInMs !== now.changedAtInMs;
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
export function onlyWhole(
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
