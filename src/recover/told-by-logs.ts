/* What the run logs of one batch tell of it, and what they prove. */

import type { CallContext } from '../call/context.ts';
import { readRunLogLines } from '../disk/log/read-run-log.ts';
import type { RowEventFiles } from '../disk/log/row-event-files.ts';
import { readRunHead } from '../disk/log/run-head.ts';
import type { LogProof } from '../domain/batches/run-log.ts';
import type { ErrorCode } from '../domain/failures/error-codes.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Remedies } from '../domain/failures/remedy.ts';
import { toldEvent } from './batch-logs.ts';
import type { LoggedRowEvent, PlacedEvent } from './logged-event.ts';
import { type BatchHistory, readHistory } from './run-history.ts';
import { shownObjects } from './shown-objects.ts';

/** The failure of a recovery whose logs or file are not what it needs: nothing was changed. */
export function refusedRecovery(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next, { kind: 'file_refused' });
}

/** What a recovery is given. */
export interface RecoveryLogs {
  /** Paths of the batch's run logs: several if it ran in several places. */
  readonly logs: readonly string[];
  /** Whether rows are held of which a log that does not prove to be whole says nothing final. */
  readonly holdRest?: boolean;
}

/** The logs of a batch, read. */
export interface ToldByLogs {
  readonly history: BatchHistory;
  /** What each log proves, in the order in which they were given. */
  readonly proofs: readonly LogProof[];
}

/**
 * Reads the run logs of one batch, and the result files beside them.
 * @param events where the events of rows are kept meanwhile, since a log may be larger than memory
 * @throws PaybatchError (`file_refused`) when the logs are not those of one batch
 */
export async function readLogs(
  app: CallContext,
  { logs, holdRest = false }: RecoveryLogs,
  events: RowEventFiles<LoggedRowEvent>,
): Promise<ToldByLogs> {
  const proofs: LogProof[] = [];
  try {
    const kept = {
      add: (event: LoggedRowEvent) => events.add(event),
      read: (firstRow: number, lastRow: number) => events.read(firstRow, lastRow),
    };
    const history = await readHistory(eventsOf(app, logs, proofs), kept, { proofs, holdsRest: holdRest });
    return { history, proofs };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    throw refusedRecovery(
      'log_unusable',
      `The run log cannot be used: ${error.message}.`,
      'give the logs of one batch',
    );
  }
}

async function* eventsOf(
  app: CallContext,
  logs: readonly string[],
  proofs: LogProof[],
): AsyncGenerator<PlacedEvent> {
  let batch: string | undefined;
  for (const [log, path] of logs.entries()) {
    for await (const event of eventsOfLog(app, path, log, (proof) => proofs.push(proof))) {
      batch ??= event.batch;
      yield event;
    }
  }
  if (batch === undefined) return;
  for (const path of logs) yield* shownObjects(app, path, batch);
}

async function* eventsOfLog(
  app: CallContext,
  path: string,
  log: number,
  onProof: (proof: LogProof) => void,
): AsyncGenerator<PlacedEvent> {
  const torn: Torn = { count: 0, lines: new Set() };
  const onTorn = (line: number): void => {
    torn.count += 1;
    if (torn.lines.size < tornShown) torn.lines.add(line);
  };
  const head = await readRunHead(path);
  const known = { head, kept: [] };
  for await (const { event, line } of readRunLogLines(path, { onTorn, known, onProof })) {
    const told = toldEvent(event) ?? ({ event: 'other', batch: event.batch } as const);
    yield { ...told, place: { log, line } };
  }
  // The ledger that made it is the one that is rebuilt.
  if (typeof head === 'object' && head.claimed !== null) {
    const { batch, claimed } = head;
    yield { event: 'claim.made', batch, run: claimed.run, claim: claimed.claim };
  }
  reportTorn(app, path, torn);
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
