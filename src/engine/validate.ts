/* Checks the files of a call against each other, without staging a row. */

import { findingsStems } from '../account/files/result-files.ts';
import { type CallResult, noBatches, withLeftOut, withRefused } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { isBeyond } from '../check/judging.ts';
import { type CheckAccess, ImportHandles, openCheckAccess } from '../check/judging-access.ts';
import type { CheckedAccount } from '../domain/batches/account.ts';
import {
  type CallOutcome,
  FilesRefused,
  gravest,
  outcomeOfRows,
  PaybatchError,
} from '../domain/failures/paybatch-error.ts';
import { countOf } from '../domain/money/money.ts';
import type { InvalidLimit } from '../domain/settings/definitions.ts';
import { say } from '../domain/settings/message.ts';
import { compareKinds } from '../kinds/registry.ts';
import { namedInput } from '../read/rows/input-table.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { noteUnconfirmed, openInputsOfCall, refusalOfFiles } from '../read/sources/inputs-of-call.ts';
import { refuseUnexpected, type SummedTable } from '../send/batches/expectations.ts';
import { checkOne } from './check-one.ts';

/** The findings of the validation in each input. */
interface CheckedFiles extends CallResult {
  /** In the order of an import, including files that are refused at their end. */
  readonly checked: readonly CheckedAccount[];
}

/**
 * Checks the rows of every table, reports on each table, and writes its findings. A file with too many invalid rows, or
 * whose values contradict its reading, is refused after it was read to its end, so that all of its findings are known.
 *
 * @throws PaybatchError or InputError when a file turns out to be unreadable, or what its rows need is not available
 */
async function checkAll(
  app: CallContext,
  { inputTables, refused, mayContinue }: OpenInputs,
  access: CheckAccess,
): Promise<CheckedFiles> {
  const ordered = [...inputTables].sort((left, right) => compareKinds(left.mapping.kind, right.mapping.kind));
  const stems = findingsStems(ordered.map(namedInput));
  const handles = new ImportHandles();
  const references = handles.before(access.references);
  const all: CheckedAccount[] = [];
  const batches: CheckedAccount[] = [];
  const codes: CallOutcome[] = [];
  const tables: SummedTable[] = [];
  const refusals: PaybatchError[] = [];
  for (const [index, inputTable] of ordered.entries()) {
    const { kind } = inputTable.mapping;
    const isReferredTo = ordered.some((other) => compareKinds(kind, other.mapping.kind) < 0);
    const contradictions: PaybatchError[] = [];
    const { checked, sums, invalidByReference } = await checkOne(withoutLimit(app), inputTable, {
      ...access,
      references,
      stem: stems[index] ?? '',
      onContradiction: (found) => contradictions.push(found),
      onRows: (group) => {
        if (isReferredTo) handles.note(kind, group);
      },
    });
    const { fileName: name, reading, control } = inputTable;
    tables.push({ name, reading, control, sums });
    all.push(checked);
    app.report({ kind: 'file.checked', checked });
    const excused = mayContinue ? 0 : invalidByReference;
    const refusal =
      contradictions[0] ?? refusalOf(checked, app.settings.controls.maxInvalid ?? null, excused);
    if (refusal !== null) refusals.push(refusal);
    codes.push(refusal?.kind ?? outcomeOfRows({ ...checked.counts, not_sent: 0 }));
    if (refusal === null) batches.push(checked);
  }
  const failure = refusals.length === 0 ? null : new FilesRefused([...refused, ...refusals]);
  // If a file is refused for its own reasons, the expected values are not compared as well.
  const unexpected = failure === null ? unexpectedIn(app, tables) : null;
  if (unexpected === null) return { outcome: gravest(codes), batches, failure, checked: all };
  return { outcome: unexpected.kind, batches: [], failure: unexpected, checked: all };
}

function unexpectedIn({ settings }: CallContext, tables: readonly SummedTable[]): PaybatchError | null {
  try {
    refuseUnexpected(settings.controls, tables);
    return null;
  } catch (error) {
    if (error instanceof PaybatchError) return error;
    throw error;
  }
}

/**
 * Removes the limit of invalid rows while a file is read. All findings are reported, so the limit is checked only after the
 * whole file is read.
 */
function withoutLimit(app: CallContext): CallContext {
  const controls = { ...app.settings.controls, maxInvalid: undefined };
  return { ...app, settings: { ...app.settings, controls } };
}

/**
 * The failure of a table that has too many invalid rows, or another reason to be refused.
 * @param excused rows that are invalid because the rows they refer to may be in a file that is refused
 */
function refusalOf(
  { counts, rows, place, files }: CheckedAccount,
  limit: InvalidLimit | null,
  excused: number,
): PaybatchError | null {
  const invalid = (counts.invalid ?? 0) - excused;
  if (limit === null || !isBeyond(limit, invalid, rows)) return null;
  const allowed = 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
  return new PaybatchError(
    'too_many_invalid',
    say`${place}: ${invalid} of ${countOf(rows, 'row')} ${invalid === 1 ? 'is' : 'are'} invalid, and ${{ setting: 'maxInvalid' }} allows ${allowed}.`,
    `correct the rows that ${files.findings} lists`,
  );
}

/** The results of the check of each file. */
export interface ValidateResult extends CheckedFiles {
  /** Whether an import would ask about hidden rows. */
  readonly isHiddenOpen: boolean;
}

/**
 * Reads, maps and validates every file; writes the findings. Nothing is staged or sent.
 * @param request paths of the files; `-` is standard input
 */
export async function validateFiles(
  app: CallContext,
  { files }: { readonly files: readonly string[] },
): Promise<ValidateResult> {
  const inputs = await openInputsOfCall(app, files);
  noteUnconfirmed(app, inputs);
  try {
    if (inputs.inputTables.length === 0) {
      return { ...noBatches, checked: [], isHiddenOpen: false };
    }
    const end = await checkAll(app, inputs, await openCheckAccess(app));
    const result = withRefused({ ...end, isHiddenOpen: isChoiceOpen(inputs) }, inputs.refused);
    return withLeftOut(result, inputs.leftOut);
  } catch (error) {
    throw refusalOfFiles(inputs, error);
  } finally {
    await inputs.close();
  }
}

function isChoiceOpen({ inputTables }: OpenInputs): boolean {
  return inputTables.some(({ hidden, hiddenChoice }) => hidden.count > 0 && hiddenChoice === null);
}
