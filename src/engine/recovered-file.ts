/* The source file of a batch that a ledger has lost: whether it is that very file, and its rows, checked again. */

import type { LazyApi } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { judgeInputTable } from '../check/judging.ts';
import type { BatchRecord, Environment } from '../domain/batches/batch.ts';
import type { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { StagedRow } from '../domain/rows/ledger-row.ts';
import { referencesIn } from '../kinds/request.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import { batchIdOf, type InputTable } from '../read/rows/input-table.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { refusedRecovery } from '../recover/log-evidence.ts';
import { restedAt } from '../recover/logged-rows.ts';
import type { BatchHistory, RowHistories } from '../recover/run-history.ts';
import { layoutKeyOf } from '../watch/drift/columns.ts';
import { type DriftResult, driftIn } from '../watch/drift/drift-watch.ts';

/**
 * The table of the log's file: the same bytes, with the same reading.
 * @throws PaybatchError (`file_refused`) where no table is that one
 */
export function matchingInputTable(
  { inputTables }: OpenInputs,
  { batch, started }: BatchHistory,
  environment: Environment,
): InputTable {
  const match = inputTables.find((inputTable) => batchIdOf(inputTable, environment) === batch);
  if (match !== undefined) return match;
  const isSameContent = inputTables.some(({ contentHash }) => contentHash === started?.content_hash);
  throw refusedRecovery(
    'other_file',
    isSameContent
      ? 'The file is the one of the run log, but it is read in another way now.'
      : 'The file is not the one that the run log is about.',
    isSameContent
      ? 'give the settings of the import again: mapping, delimiter, encoding and kind'
      : 'give the very file that was imported, unchanged',
  );
}

/**
 * Judges a file whose batch was in a ledger before: a row with a key was valid when it was sent, whatever today's rules
 * are.
 * @throws PaybatchError (`file_refused`) for a row that was sent and cannot be read now
 */
export async function* judgeAgain(
  app: CallContext,
  verbs: LedgerVerbs,
  api: LazyApi,
  history: BatchHistory,
  { batch, inputTable }: { readonly batch: BatchRecord; readonly inputTable: InputTable },
): AsyncGenerator<StagedRow[]> {
  const { environmentId } = batch;
  const controls = { ...app.settings.controls, maxInvalid: undefined };
  const unlimited = { ...app, settings: { ...app.settings, controls } };
  const judging = {
    references: referencesIn(verbs, environmentId, []),
    directory: api.directory(verbs, environmentId),
    corrections: verbs,
    // It is compared with nothing: only the next file is compared with it.
    findDrift: driftIn({ ...verbs, findEarlierProfiles: async () => [] }, environmentId),
    onDrift: ({ profile }: DriftResult) =>
      verbs.noteProfile(batch.id, layoutKeyOf(inputTable.table.header, inputTable.mapping), {
        profile,
        drift: [],
      }),
    wereSent: async (rows: readonly number[]) => {
      const known = await history.between(rows[0] ?? 0, rows.at(-1) ?? 0);
      return new Set(rows.filter(known.wasSent));
    },
    // Its rows were sent under this reading; a person is informed of the contradiction before the other rows are sent.
    onContradiction: (error: PaybatchError): void =>
      app.report({ kind: 'note', note: { code: 'reading_contradicted', error } }),
  };
  for await (const rows of judgeInputTable(unlimited, judging, inputTable)) {
    const known = await history.between(rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0);
    yield rows.map((row) => (known.wasSent(row.row) ? asStaged(row) : asItRested(row, known)));
  }
}

/**
 * A row that needed no request because of another batch's object, or of a person's decision, needs none now either,
 * whether or not that batch is in this ledger.
 */
function asItRested(row: StagedRow, { resting }: RowHistories): StagedRow {
  const rested = resting.get(row.row);
  if (rested === undefined || (row.state !== 'staged' && row.state !== 'held')) return row;
  return { ...row, ...restedAt(row.row, rested) };
}

function asStaged(row: StagedRow): StagedRow {
  if (row.resource === null) {
    throw refusedRecovery(
      'row_unreadable',
      `Row ${row.row} was sent under a key, and its payee type cannot be read now.`,
      'give the settings of the import again: mapping and rules',
    );
  }
  return { ...row, state: 'staged', sameAs: null, objectId: null, reason: null };
}
