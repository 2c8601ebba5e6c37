import type { Failure } from '../../domain/failures/failure.ts';
import type { StagedRow } from '../../domain/rows/ledger-row.ts';
import type { Intake } from '../../pipeline/intake/take-in.ts';
import { restedAt } from '../../pipeline/recovery/restore.ts';
import type { BatchHistory, RowHistories } from '../../pipeline/recovery/run-history.ts';
import { openDirectory } from '../access/api-access.ts';
import type { LazyApi } from '../access/judging-access.ts';
import type { LedgerAccess } from '../access/ledger-access.ts';
import { referencesIn } from '../access/references-in.ts';
import { judgeIntake } from '../reading/judging.ts';
import type { JobContext } from '../running/context.ts';
import { refusedRecovery } from './refusal.ts';

/**
 * Judges a file whose batch was in a ledger before: a row with a key was valid when it was sent, whatever today's
 * rules say of it.
 * @throws Failure (exit 3) for a row that was sent and cannot be read now
 */
export async function* judgeAgain(
  app: JobContext,
  { verbs }: LedgerAccess,
  api: LazyApi,
  history: BatchHistory,
  intake: Intake,
  environmentId: number,
): AsyncGenerator<StagedRow[]> {
  const client: Parameters<typeof openDirectory>[0] = {
    get: async (path, query) => (await api.client()).get(path, query),
  };
  const directory = openDirectory(client, verbs, environmentId, app);
  const references = referencesIn(verbs, environmentId, []);
  const unlimited = { ...app, settings: { ...app.settings, 'max-invalid': undefined } };
  const judging = {
    ...{ directory, corrections: verbs },
    // Its rows were sent under this reading; a person hears of it before the others are.
    onContradiction: ({ message, next }: Failure): void =>
      app.report({ kind: 'note', text: message, ...(next === null ? {} : { advice: next }) }),
  };
  for await (const rows of judgeIntake(unlimited, judging, intake, references)) {
    const [first, last] = [rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0];
    const known = await history.between(first, last);
    yield rows.map((row) => (known.rows.has(row.row) ? asStaged(row) : asItRested(row, known)));
  }
}

/**
 * A row that needed no request because of another batch's object, or of a person, needs none now either,
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
      'give the --mapping and --rules of the import',
    );
  }
  return { ...row, state: 'staged', sameAs: null, objectId: null, reason: null };
}
