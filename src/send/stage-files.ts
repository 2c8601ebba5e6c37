/* Stages the files of a call: all of their checked rows are in the ledger before any row is sent. */

import type { DirectoryOf } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { judgeInputTable } from '../check/judging.ts';
import { rowAccessIn } from '../check/judging-access.ts';
import type { BatchRecord, Environment, LeasedBatch } from '../domain/batches/batch.ts';
import type { SeriesComparison } from '../domain/batches/last-time.ts';
import { FilesRefused, type PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { PayeeChange } from '../domain/rows/finding.ts';
import type { ChangedRow, StagedRow } from '../domain/rows/ledger-row.ts';
import type { Directory, DirectoryPort } from '../kinds/institutions/directory.ts';
import { definitionNamed } from '../kinds/registry.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { placeOf } from '../read/mapping/table-mapping.ts';
import { batchIdOf, type InputTable, namedInput } from '../read/rows/input-table.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { keepReadings } from '../read/sources/stated-reading.ts';
import { requireLedgerOfLogs } from '../recover/batch-logs.ts';
import { layoutKeyOf } from '../watch/drift/columns.ts';
import type { DriftResult } from '../watch/drift/drift-watch.ts';
import { payeeKeysOf } from '../watch/payee.ts';
import {
  isAnythingExpected,
  refuseHiddenRows,
  refuseUnexpected,
  type SummedTable,
} from './batches/expectations.ts';
import { type HeldTable, Staging, TablesRefused } from './staging.ts';

/** The files of a command, and the data that their check needs. */
interface FilesToStage {
  readonly command: 'import' | 'plan';
  readonly inputs: OpenInputs;
  readonly environment: Environment;
  /** The institutions of an environment. */
  readonly directoryOf: DirectoryOf;
}

/** The staged batches, and the refused files that were left out. */
interface TakenFiles {
  readonly held: readonly LeasedBatch[];
  /** Empty unless refused files are to be skipped. */
  readonly refused: readonly PaybatchError[];
}

/**
 * Reads, checks and stages every file of a call. With `skipRefused`, refused files are left out, and the others are staged
 * again without them, since rows may refer to rows of other files. If files were refused earlier and none may be skipped,
 * the others are checked anyway.
 * @throws FilesRefused with every refused file, when no file is left or none may be skipped
 */
export async function stageFiles(
  app: CallContext,
  access: LedgerAccess,
  files: FilesToStage,
): Promise<TakenFiles> {
  const refused = [...files.inputs.refused];
  let { inputTables } = files.inputs;
  for (;;) {
    try {
      return {
        held: await stageAll(app, access, { ...files, inputs: { ...files.inputs, inputTables } }),
        refused,
      };
    } catch (error) {
      if (!(error instanceof TablesRefused)) throw error;
      refused.push(...error.tables.map(({ inputTable, failure }) => failure.about(inputTable.path)));
      // A workbook is refused as a whole, with all of its sheets.
      const contents = new Set(error.tables.map(({ inputTable }) => inputTable.contentHash));
      inputTables = inputTables.filter(({ contentHash }) => !contents.has(contentHash));
      if (!app.settings.controls.skipRefused || inputTables.length === 0) throw new FilesRefused(refused);
    }
  }
}

/**
 * Stages all files. If a whole file is refused, no file is kept. A table whose batch exists already is not staged again,
 * since the same file is the same batch.
 * @throws TablesRefused with every refused table
 */
async function stageAll(app: CallContext, access: LedgerAccess, files: FilesToStage): Promise<LeasedBatch[]> {
  const { command, inputs, environment } = files;
  const { inputTables } = inputs;
  const { verbs } = access;
  const directory = files.directoryOf(await verbs.environmentIdOf(environment));
  const step = readingStep(app);
  const staging = new Staging(verbs, app.clock);
  /** Findings that became known only after a file was read to its end, by batch. */
  const late = new Map<string, readonly PayeeChange[]>();
  try {
    await staging.hold(inputTables, environment, { command, actor: app.actor });
    for (const table of staging.held) {
      try {
        if (table.own.isNew) {
          step.begin(table.inputTable);
          const rows = judgedRows(app, verbs, staging, table, {
            directory,
            mayContinue: inputs.mayContinue,
            onLateChanges: (changed) =>
              late.set(
                table.own.batch.id,
                changed.flatMap(({ changes = [] }) => changes),
              ),
          });
          await staging.stage(table, rows, step.advance);
        }
        if (command === 'import') refuseHiddenRows([table.inputTable]);
      } catch (error) {
        staging.refuse(table.inputTable, error);
      }
    }
    staging.requireNoneRefused();
    if (!inputs.mayContinue) throw new FilesRefused(inputs.refused);
    await refuseUnexpectedFiles(app, verbs, inputTables, environment);
    await keepReadings(verbs, staging.batches, inputTables, environment);
    for (const { batch, isNew } of staging.batches) {
      if (!isNew) continue;
      await verbs.noteLaterFindings(batch, late.get(batch.id) ?? []);
      await noteSharedRows(verbs, batch);
    }
    const held = await staging.accept(
      await requireLedgerOfLogs(app, verbs, staging.batches, (batch) => pathOf(batch, inputTables)),
    );
    step.end();
    reportStaged(app, held, inputTables, environment);
    return held;
  } catch (error) {
    await staging.giveUp();
    throw error;
  } finally {
    staging.end();
    step.end();
  }
}

/** The data by which the rows of a table are checked, besides the ledger. */
interface JudgedBy {
  readonly directory: Directory;
  readonly mayContinue: boolean;
  /** Called with rows whose findings became known only after the table was read to its end. */
  readonly onLateChanges: (rows: readonly ChangedRow[]) => void;
}

/** The checked rows of a table. The ledger records for the batch which lists of institutions were used in the check. */
function judgedRows(
  app: CallContext,
  verbs: LedgerVerbs,
  { batches, refused }: Staging,
  { own: { batch }, inputTable }: HeldTable,
  { directory, mayContinue, onLateChanges }: JudgedBy,
): AsyncIterable<readonly StagedRow[]> {
  // Rows may refer to rows of every batch of this call, before the objects of those rows are created.
  const ids = batches.map(({ batch: { id } }) => id);
  const { series } = inputTable;
  const layoutKey = layoutKeyOf(inputTable.table.header, inputTable.mapping);
  const judging = {
    ...rowAccessIn(verbs, batch, pinning(directory, verbs, batch), ids),
    // Rows may refer to rows of a table that was refused earlier.
    isAfterRefusal: refused.length > 0 || !mayContinue,
    onLateChanges,
    onSeries: async (comparison: SeriesComparison | null) => {
      if (series !== undefined) await verbs.noteSeries(batch.id, series, comparison);
    },
    onDrift: (found: DriftResult) => verbs.noteProfile(batch.id, layoutKey, found),
  };
  return judgeInputTable(app, judging, inputTable);
}

/* Parts of the staging besides rows: progress, checks of whole files, notes. */

function pathOf(batch: BatchRecord, inputTables: readonly InputTable[]): string | undefined {
  return inputTables.find((inputTable) => batchIdOf(inputTable, batch) === batch.id)?.path;
}

/** Reports progress. Each table is a step of its own. */
function readingStep({ report }: CallContext): {
  readonly begin: (inputTable: InputTable) => void;
  readonly advance: (rows: number) => void;
  readonly end: () => void;
} {
  let current: InputTable | null = null;
  const end = (): void => {
    if (current !== null) report({ kind: 'step.ended' });
    current = null;
  };
  return {
    end,
    begin: (inputTable) => {
      end();
      current = inputTable;
      const name = inputTable.fileName === '-' ? 'standard input' : inputTable.fileName;
      const about = placeOf(inputTable.table, name);
      report({ kind: 'step.started', step: 'reading', about, rows: null });
    },
    advance: (rows) => {
      if (current !== null) report({ kind: 'step.advanced', rows, share: current.readShare() });
    },
  };
}

/** Compares a file with its expected values before its batch is accepted. */
async function refuseUnexpectedFiles(
  { settings }: CallContext,
  verbs: LedgerVerbs,
  inputTables: readonly InputTable[],
  environment: Environment,
): Promise<void> {
  if (!isAnythingExpected(settings.controls, inputTables)) return;
  const tables: SummedTable[] = [];
  for (const inputTable of inputTables) {
    const sums = await verbs.sumRead(batchIdOf(inputTable, environment));
    tables.push({
      name: inputTable.fileName,
      reading: inputTable.reading,
      control: inputTable.control,
      sums,
    });
  }
  refuseUnexpected(settings.controls, tables);
}

/**
 * Reports files whose content was imported before (they are the same batch, named by its first import), and notes about new
 * files.
 */
function reportStaged(
  app: CallContext,
  held: readonly LeasedBatch[],
  inputTables: readonly InputTable[],
  environment: Environment,
): void {
  for (const inputTable of inputTables) {
    const { fileName } = namedInput(inputTable);
    const own = held.find(({ batch }) => batch.id === batchIdOf(inputTable, environment));
    if (own === undefined || own.isNew || own.batch.fileName === fileName) continue;
    app.report({
      kind: 'note',
      note: { code: 'same_content', file: fileName, firstFile: own.batch.fileName },
    });
  }
  for (const { batch, isNew } of held) {
    if (!isNew) continue;
    const table = inputTables.find((inputTable) => batchIdOf(inputTable, environment) === batch.id);
    const name = table?.fileName ?? batch.fileName;
    for (const note of batch.notes)
      app.report({ kind: 'note', note: { code: 'file_remark', file: name, text: note } });
  }
}

/** Records which list is used for the rows of a country in a batch, once for each country. */
function pinning(directory: Directory, verbs: LedgerVerbs, batch: BatchRecord): DirectoryPort {
  const pinned = new Set<string>();
  return {
    list: async (country) => {
      const list = await directory.list(country);
      if (!pinned.has(country)) {
        await verbs.pinInstitutionList(batch.id, batch.environmentId, await directory.snapshot(country));
        pinned.add(country);
      }
      return list;
    },
  };
}

/* Accounts and payees that occur in several rows of one file. They are found after the file is read to its end. */

type FindingVerbs = Pick<LedgerVerbs, 'listSharedRows' | 'findEarlierPayees' | 'noteLaterFindings'>;

/** Number of rows in one look-up. */
const rowsAtOnce = 1_000;

/**
 * Adds findings to earlier rows. If two rows of a file share an account, or pay one payee at two accounts, the later row
 * gets a finding while the file is read. This function gives the earlier row the same finding, since it is unknown which of
 * the two is right.
 */
async function noteSharedRows(
  verbs: FindingVerbs,
  batch: Pick<BatchRecord, 'id' | 'environmentId'>,
): Promise<void> {
  const shared = await verbs.listSharedRows(batch.id);
  for (let at = 0; at < shared.length; at += rowsAtOnce) {
    const group = shared.slice(at, at + rowsAtOnce);
    const found = await verbs.findEarlierPayees(group.map(({ row }) => ({ batch: batch.id, row })));
    const rows = new Map(found.map((each) => [each.row, each]));
    const changes = group.flatMap(({ row, code, sharedBy }): PayeeChange[] => {
      const { resource = null, record = {} } = rows.get(row) ?? {};
      const keys = resource === null ? null : payeeKeysOf(definitionNamed(resource), record);
      return keys === null ? [] : [{ row, code, earlier: { batch: null, row: sharedBy }, keys }];
    });
    await verbs.noteLaterFindings(batch, changes);
  }
}
