/* What run logs tell of a batch whose ledger is lost, or lacks objects. */

import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { ErrorCode } from '../../domain/failures/error-codes.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { Remedies } from '../../domain/failures/remedy.ts';
import type { LoggedCreation } from '../../ledger/protocol/late-creations.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readRunLog } from '../../output/log/read-run-log.ts';
import type { RowEventFiles } from '../../output/log/row-events.ts';
import {
  type BatchHistory,
  type LoggedEvent,
  type LoggedRowEvent,
  readHistory,
} from '../../pipeline/recovery/run-history.ts';
import type { CallContext } from '../running/context.ts';

/** The failure of a recovery whose logs or file are not what it needs: nothing was changed. */
export function refusedRecovery(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next, { kind: 'file_refused' });
}

/**
 * What the run logs of one batch tell of it.
 * @param events where the events of rows are kept meanwhile, since a log may be larger than memory
 * @throws PaybatchError (`file_refused`) when the logs are not those of one batch
 */
export async function historyOf(
  app: CallContext,
  logs: readonly string[],
  events: RowEventFiles<LoggedRowEvent>,
): Promise<BatchHistory> {
  try {
    return await readHistory(eventsOf(app, logs), {
      add: (event) => events.add(event),
      read: (firstRow, lastRow) => events.read(firstRow, lastRow),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    throw refusedRecovery(
      'log_unusable',
      `The run log cannot be used: ${error.message}.`,
      'give the logs of one batch',
    );
  }
}

async function* eventsOf(app: CallContext, logs: readonly string[]): AsyncGenerator<LoggedEvent> {
  for (const log of logs) {
    const torn: Torn = { count: 0, lines: new Set() };
    const noteTorn = (line: number): void => {
      torn.count += 1;
      if (torn.lines.size < tornShown) torn.lines.add(line);
    };
    for await (const event of readRunLog(log, { onTorn: noteTorn })) {
      switch (event.event) {
        case 'run.started':
        case 'run.finished':
        case 'claim.made':
        case 'row.staged':
        case 'row.answered':
        case 'row.final':
        case 'row.resolved':
          yield event;
          break;
        default:
          yield { event: 'other', batch: event.batch };
      }
    }
    reportTorn(app, log, torn);
  }
}

/** Events that were cut off, and the first lines that have one. */
interface Torn {
  count: number;
  readonly lines: Set<number>;
}

const tornShown = 10;

/** A row whose answer was cut off is `unknown`, and sent again under its own key. */
function reportTorn({ report }: CallContext, log: string, torn: Torn): void {
  if (torn.count === 0) return;
  report({
    kind: 'note',
    note: { code: 'log_torn', log, events: torn.count, lines: [...torn.lines] },
  });
}

const answersPerGroup = 1_000;

/**
 * Keeps objects that a run log tells of and no row has, as evidence.
 * @returns how many there are
 */
export async function keepLostObjects(verbs: LedgerVerbs, batch: BatchRecord, path: string): Promise<number> {
  let kept = 0;
  let group: LoggedCreation[] = [];
  const keep = async (): Promise<void> => {
    kept += await verbs.keepLoggedCreations(batch.id, group);
    group = [];
  };
  for await (const event of readRunLog(path)) {
    if (event.event !== 'row.answered' || event.outcome !== 'created' || event.id === null) continue;
    const { row, key: idempotencyKey, attempt: number, status: httpStatus, id: objectId } = event;
    group.push({ row, idempotencyKey, number, httpStatus, objectId });
    if (group.length >= answersPerGroup) await keep();
  }
  await keep();
  return kept;
}
