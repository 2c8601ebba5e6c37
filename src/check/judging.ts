/* Checks the rows of one table, with the rules of the installation. */

import type { CallContext } from '../call/context.ts';
import { readSettingsFile, UnusableFile } from '../call/credentials.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import type { InvalidLimit } from '../domain/settings/definitions.ts';
import type { SourceRow, SourceTable } from '../domain/tables/table.ts';
import { createRowChecker } from '../kinds/fields/row-checker.ts';
import type { DirectoryPort } from '../kinds/institutions/directory.ts';
import { namingColumns } from '../kinds/own-columns.ts';
import type { ReferencePort } from '../kinds/request.ts';
import { parseRules, type RuleChanges } from '../kinds/rule-changes.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { readingRulesOf } from '../read/mapping/mapping-file.ts';
import { placeOf } from '../read/mapping/table-mapping.ts';
import { attachEarlierValues, type CorrectionPort, withoutDoubts } from '../read/rows/corrections.ts';
import type { InputTable } from '../read/rows/input-table.ts';
import { PayeeWatch } from '../watch/payee-watch.ts';
import type { PayeesOf } from '../watch/payees-at-hand.ts';
import { isInvalidByReferenceAlone } from './look-up-group.ts';
import { type ReadingWatch, watchReading } from './reading-contradiction.ts';
import { createValidation, type Validation } from './validation.ts';

/** How the rows of every table of a call are judged. */
interface Judging {
  readonly directory: DirectoryPort;
  readonly corrections: CorrectionPort;
  /** Undefined where no payee is known. */
  readonly payees?: PayeesOf | undefined;
  /** Called with rows whose payees were found to differ only once a table was read to its end. */
  readonly onLateChanges?: (rows: readonly StagedRow[]) => Promise<void> | void;
  /** Whether earlier files of a table's header end with a line end; none is known when absent. */
  readonly endedBefore?: EndedBefore | undefined;
  /** Whether rows may refer to those of a refused file: then such a reference alone is no reason to refuse them. */
  readonly isAfterRefusal?: boolean;
  /**
   * Called when the values contradict the reading, where this is not thrown: all findings are wanted, or the rows were
   * sent under this reading before.
   */
  readonly onContradiction?: (refusal: PaybatchError) => void;
  /**
   * Which of these rows were sent before, where the ledger does not know that: then their cells were right, and a person
   * may have confirmed them. Their earlier rounds are not used against them.
   */
  readonly wereSent?: (rows: readonly number[]) => Promise<ReadonlySet<number>>;
}

/**
 * Judges one table's rows, in groups.
 * @throws PaybatchError (`file_refused`) when the whole table is refused; (`stopped`) when the person interrupts
 */
export function judgeInputTable(
  app: CallContext,
  {
    directory,
    corrections,
    payees,
    endedBefore,
    isAfterRefusal = false,
    onContradiction,
    onLateChanges,
    wereSent,
  }: Judging,
  inputTable: InputTable,
  references: ReferencePort,
): AsyncGenerator<StagedRow[]> {
  const [reading, today] = [readingRulesOf(inputTable.reading), app.clock.now().toISOString().slice(0, 10)];
  const checker = createRowChecker({
    mapping: inputTable.mapping,
    reading,
    today,
    headerWidth: inputTable.table.header.length,
    rules: inputTable.rules,
  });
  const place = placeOf(inputTable.table, inputTable.fileName);
  const watch = watchReading({
    mapping: inputTable.mapping,
    stated: inputTable.reading,
    reading,
    today,
    place,
    path: inputTable.path,
    areSomeRows: inputTable.firstInput !== undefined,
  });
  inputTable.corrected.rows = 0;
  const validation = createValidation({
    place,
    watch: onContradiction === undefined ? watch : reportInsteadOfRefusing(watch, onContradiction),
    checker,
    mapping: inputTable.mapping,
    references,
    directory,
    ...(endedBefore === undefined ? {} : { endedBefore: () => endedBefore(inputTable) }),
    attachEarlier: async (rows) => {
      const attached = await attachEarlierValues(rows, inputTable.table.header, corrections, place);
      inputTable.corrected.rows += attached.filter((row) => row.corrects !== undefined).length;
      if (wereSent === undefined) return attached;
      const sent = await wereSent(attached.map(({ number }) => number));
      return attached.map((row) => (sent.has(row.number) ? withoutDoubts(row) : row));
    },
  });
  const limit = app.settings.controls.maxInvalid ?? null;
  const counts = (row: StagedRow): boolean => !isAfterRefusal || !isInvalidByReferenceAlone(row);
  const judged = judgeTable(inputTable.table, inputTable, validation, limit, counts);
  const { mapping, table } = inputTable;
  const options = {
    isHeld: app.settings.controls.changes === 'hold',
    namingColumns: namingColumns(mapping.kind, table.header, mapping),
    ...(onLateChanges === undefined ? {} : { onLate: onLateChanges }),
  };
  const groups = payees === undefined ? judged : new PayeeWatch(payees(inputTable), options).judgeAll(judged);
  return untilInterrupted(groups, app.interrupted);
}

function reportInsteadOfRefusing(
  watch: ReadingWatch,
  onContradiction: (refusal: PaybatchError) => void,
): ReadingWatch {
  return {
    ...watch,
    refusal: () => {
      const refusal = watch.refusal();
      if (refusal !== null) onContradiction(refusal);
      return null;
    },
  };
}

/** A large file takes a while to read; an interruption then has sent nothing. */
async function* untilInterrupted(
  groups: AsyncIterable<StagedRow[]>,
  interrupted: AbortSignal,
): AsyncGenerator<StagedRow[]> {
  for await (const group of groups) {
    if (interrupted.aborted) {
      throw new PaybatchError('interrupted', 'Interrupted while the files were read: nothing was sent.', {
        action: 'again',
      });
    }
    yield group;
  }
}

/** @throws PaybatchError (`usage`) when the rules file cannot be read or has unknown contents */
export function readRules(path: string | undefined): RuleChanges {
  try {
    return parseRules(path === undefined ? {} : JSON.parse(readSettingsFile(path)));
  } catch (error) {
    const problem =
      error instanceof SyntaxError
        ? 'it is not JSON'
        : error instanceof UnusableFile
          ? `it ${error.message}`
          : error instanceof Error
            ? error.message
            : 'unknown';
    throw new PaybatchError(
      'rules_invalid',
      `The rules ${path} cannot be used: ${problem}.`,
      'correct the rules file (docs/rules.schema.json)',
    );
  }
}

/** Whether the earlier files of a table's header end with a line end. */
export type EndedBefore = (
  inputTable: Pick<InputTable, 'contentHash' | 'mapping' | 'table'>,
) => Promise<boolean>;

/** The earlier files of one environment. */
export function earlierEndsIn(verbs: Pick<LedgerVerbs, 'endedBefore'>, environmentId: number): EndedBefore {
  return ({ contentHash, mapping: { kind }, table: { header } }) =>
    verbs.endedBefore({ environmentId, kind, header, contentHash });
}

/* Judges the rows of a table in groups, and stages them. */

/**
 * The rows of a table, judged group by group; the reason to refuse the whole file is thrown during it.
 * @param validation for this table alone; ended with the table
 * @param limit how many invalid rows a file may have; null for any number
 * @param counts which invalid rows count for the limit; all when absent
 */
export async function* judgeTable(
  table: SourceTable,
  { fileName, path }: { readonly fileName: string; readonly path: string },
  validation: Validation,
  limit: InvalidLimit | null,
  counts: (row: StagedRow) => boolean = () => true,
): AsyncGenerator<StagedRow[]> {
  const unnamed = table.header.flatMap((title, index) => (title === '' ? [index] : []));
  const place = placeOf(table, fileName);
  let rows = 0;
  let invalid = 0;
  try {
    for await (const group of table.rows()) {
      refuseUnnamedValues(group, unnamed, place);
      const judged = await validation.judge(group);
      rows += judged.length;
      invalid += judged.filter((row) => row.state === 'invalid' && counts(row)).length;
      if (limit !== null && 'rows' in limit && invalid > limit.rows) {
        throw tooManyInvalid({ place, path }, invalid, rows, limit);
      }
      yield judged;
    }
    const refusal = validation.refusal();
    if (refusal !== null) throw refusal;
  } finally {
    validation.end();
  }
  if (limit !== null && 'percent' in limit && invalid * 100 > limit.percent * rows) {
    throw tooManyInvalid({ place, path }, invalid, rows, limit);
  }
}

function refuseUnnamedValues(rows: readonly SourceRow[], unnamed: readonly number[], place: string): void {
  for (const index of unnamed) {
    const row = rows.find(({ cells }) => (cells[index] ?? '').trim() !== '');
    if (row === undefined) continue;
    throw new PaybatchError(
      'unnamed_column',
      `${place}: column ${index + 1} has no name in the header, but row ${row.number} has a value in it.`,
      'name the column, or empty it',
    );
  }
}

function tooManyInvalid(
  { place, path }: { readonly place: string; readonly path: string },
  invalid: number,
  rows: number,
  limit: InvalidLimit,
): PaybatchError {
  const allowed = 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
  return new PaybatchError(
    'too_many_invalid',
    `${place}: ${invalid} of the first ${rows} rows ${invalid === 1 ? 'is' : 'are'} invalid, and the setting maxInvalid allows ${allowed}.`,
    {
      action: 'validate',
      files: path === undefined ? [] : [path],
      asRead: true,
      effect: 'lists the findings',
    },
  );
}
