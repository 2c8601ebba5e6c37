import { randomUUID } from 'node:crypto';
import type { LedgerAccess } from '../../call/connections.ts';
import type { CallContext } from '../../call/context.ts';
import { earlierEndsIn, judgeInputTable } from '../../check/judging.ts';
import type { BatchRecord, Environment, LeasedBatch } from '../../domain/batches/batch.ts';
import { FilesRefused, type PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { PayeeChange } from '../../domain/rows/finding.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import type { Directory, DirectoryPort } from '../../kinds/institutions/directory.ts';
import { definitionNamed } from '../../kinds/registry.ts';
import { referencesIn } from '../../kinds/request.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { placeOf } from '../../read/mapping/table-mapping.ts';
import { correctionsIn } from '../../read/rows/corrections.ts';
import { batchIdOf, type InputTable, namedInput } from '../../read/rows/input-table.ts';
import type { OpenInputs } from '../../read/sources/inputs.ts';
import { keepReadings } from '../../read/sources/remembered-mappings.ts';
import { requireLedgerOfLogs } from '../../recover/batch-logs.ts';
import { payeeKeysOf } from '../../watch/payee.ts';
import { payeesIn } from '../../watch/payees-at-hand.ts';
import { comparedWithSeries } from '../../watch/series.ts';
import { stageInput, TablesRefused } from '../stage-input.ts';
import { isAnythingExpected, refuseHiddenRows, refuseUnexpected, type SummedTable } from './expectations.ts';

/* Accounts and payees that occur in several rows of one file: found once the file is read to its end. */

type FindingVerbs = Pick<LedgerVerbs, 'listSharedRows' | 'findEarlierPayees' | 'noteLaterFindings'>;

/** Number of rows in one look-up. */
const rowsAtOnce = 1_000;

/**
 * When two rows of a file share an account, or pay one payee at two, the later one gets the finding while the file is
 * read. This gives the earlier one the same finding, since it is unknown which of the two is right.
 */
export async function noteSharedRows(
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

/** The files of a command, and what they are judged by. */
interface FilesToStage {
  readonly command: 'import' | 'plan';
  readonly inputs: OpenInputs;
  readonly environment: Environment;
  /** Opened for this call's environment. */
  readonly openDirectory: (environmentId: number) => Directory;
}

/** The staged batches, and the files that were refused and left out. */
interface TakenFiles {
  readonly held: readonly LeasedBatch[];
  /** Empty unless refused files are to be skipped. */
  readonly refused: readonly PaybatchError[];
}

/**
 * Reads, judges and stages every file of a call; see `stageInput`. With `skipRefused`, refused files are left out, and
 * the others are staged again without them, since their rows may refer to each other. If files were refused before and
 * none may be skipped, the others are checked anyway.
 * @throws FilesRefused that names every refused file, when none is left or none may be skipped
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
      // All sheets of a workbook: it is refused as a whole.
      const contents = new Set(error.tables.map(({ inputTable }) => inputTable.contentHash));
      inputTables = inputTables.filter(({ contentHash }) => !contents.has(contentHash));
      if (!app.settings.controls.skipRefused || inputTables.length === 0) throw new FilesRefused(refused);
    }
  }
}

/** Stages all files. Every batch is pinned to the lists of institutions that its rows are judged by. */
async function stageAll(app: CallContext, access: LedgerAccess, files: FilesToStage): Promise<LeasedBatch[]> {
  const { inputs, environment } = files;
  const { verbs } = access;
  const directory = files.openDirectory(await verbs.environmentIdOf(environment));
  const step = readingStep(app);
  /** Findings that became known once a file was read to its end, by batch. */
  const late = new Map<string, readonly PayeeChange[]>();
  try {
    const held = await stageInput(inputs.inputTables, {
      ledger: verbs,
      environment,
      command: files.command,
      importId: randomUUID(),
      newRunId: randomUUID,
      actor: app.actor,
      clock: app.clock,
      judge: (inputTable, batch, importBatches, isAfterRefusal) => {
        step.begin(inputTable);
        const judging = {
          directory: pinning(directory, verbs, batch),
          corrections: correctionsIn(verbs, environment),
          payees: payeesIn(verbs, batch.environmentId),
          endedBefore: earlierEndsIn(verbs, batch.environmentId),
          isAfterRefusal: isAfterRefusal || !inputs.mayContinue,
          onLateChanges: (rows: readonly StagedRow[]) => {
            late.set(
              batch.id,
              rows.flatMap(({ changes = [] }) => changes),
            );
          },
        };
        const references = referencesIn(verbs, batch.environmentId, importBatches);
        const groups = judgeInputTable(app, judging, inputTable, references);
        return comparedWithSeries(verbs, batch, inputTable, groups);
      },
      onRows: (_, rows) => step.advance(rows),
      checkRead: (inputTable) => {
        if (files.command === 'import') refuseHiddenRows([inputTable]);
      },
      beforeAccepting: async (staged) => {
        if (!inputs.mayContinue) throw new FilesRefused(inputs.refused);
        await refuseUnexpectedFiles(app, verbs, inputs.inputTables, environment);
        await keepReadings(verbs, staged, inputs.inputTables, environment);
        for (const { batch, isNew } of staged) {
          if (!isNew) continue;
          await verbs.noteLaterFindings(batch, late.get(batch.id) ?? []);
          await noteSharedRows(verbs, batch);
        }
        return requireLedgerOfLogs(app, verbs, staged, (batch) => pathOf(batch, inputs.inputTables));
      },
    });
    step.end();
    sayOtherNames(app, held, inputs.inputTables, environment);
    for (const { batch, isNew } of held) {
      if (!isNew) continue;
      const given = inputs.inputTables.find((inputTable) => batchIdOf(inputTable, environment) === batch.id);
      const name = given?.fileName ?? batch.fileName;
      for (const note of batch.notes)
        app.report({ kind: 'note', note: { code: 'file_remark', file: name, text: note } });
    }
    return held;
  } finally {
    step.end();
  }
}

function pathOf(batch: BatchRecord, inputTables: readonly InputTable[]): string | undefined {
  return inputTables.find((inputTable) => batchIdOf(inputTable, batch) === batch.id)?.path;
}

/** Each table is a progress step of its own. */
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

/** Reports that a file with the same content is the same batch, and keeps the name of its first import. */
function sayOtherNames(
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
}

/** Records by which list the rows of a country in a batch are judged, once for each country. */
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
