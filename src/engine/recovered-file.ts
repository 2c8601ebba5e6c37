/* The source file of a batch that a ledger has lost: checks that it is the same file, and checks its rows again. */

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
 * Finds the table that the log names: the same bytes, with the same reading.
 * @throws PaybatchError (`file_refused`) if no table matches
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
 * Checks a file whose batch was in a ledger before. A row with a key counts as valid, since it was valid when it was sent,
 * whatever today's rules are.
 * @throws PaybatchError (`file_refused`) if a row was sent and cannot be read now
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
    // The file is not compared with earlier files; only the next file is compared with it.
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
    // Rows of the file were sent under this reading. A person is informed of the contradiction before the other rows are
    // sent.
    onContradiction: (error: PaybatchError): void =>
      app.report({ kind: 'note', note: { code: 'reading_contradicted', error } }),
  };
  for await (const rows of judgeInputTable(unlimited, judging, inputTable)) {
    const known = await history.between(rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0);
    yield rows.map((row) => (known.wasSent(row.row) ? asStaged(row) : asItRested(row, known)));
  }
}

/**
 * Restores a row that needed no request because of another batch's object, or because of a person's decision. It needs no
 * request now either, whether or not the other batch is in this ledger.
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
