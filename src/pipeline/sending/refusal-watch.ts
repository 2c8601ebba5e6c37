import { type RefusedAlike, reasonOfRefusal } from '../../domain/batches/batch-summary.ts';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import type { Conclusion } from '../../domain/sending/conclusion.ts';
import type { LedgerPort } from '../ports.ts';

interface RefusalWatchOptions {
  readonly ledger: Pick<LedgerPort, 'stopIfRefusedAlike'>;
  readonly batchId: string;
  /** So many rows refused for one reason stop the batch, if none was created; null for never. */
  readonly limit: number | null;
  readonly onStop: (refused: RefusedAlike) => void;
}

/**
 * Watches whether the rows of a batch are all refused for one reason. The ledger has the last word, since it knows the
 * rows of all runs. Once this run alone has seen as many refusals as the limit, no further row leaves until the ledger
 * has said its word: nothing more is sent than what was in flight.
 */
export class RefusalWatch {
  readonly #options: RefusalWatchOptions;
  readonly #alike = new Map<string, number>();
  #isOver: boolean;
  /** Refusals that the ledger was not asked about yet. */
  #unjudged = 0;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  constructor(options: RefusalWatchOptions) {
    this.#options = options;
    this.#isOver = options.limit === null;
  }

  /** What a row that is about to leave waits for; null for nothing. */
  get verdict(): Promise<void> | null {
    return this.#gate?.opened ?? null;
  }

  /** Is told of a row as soon as it is concluded. */
  concluded({ state, code, message }: Conclusion): void {
    const { limit } = this.#options;
    if (this.#isOver || limit === null) return;
    if (state === 'created') this.end();
    if (state !== 'rejected') return;
    this.#unjudged += 1;
    const reason = reasonOfRefusal(code, message);
    const rows = (this.#alike.get(reason) ?? 0) + 1;
    this.#alike.set(reason, rows);
    if (rows >= limit) this.#gate ??= closedGate();
  }

  /** Is told of rows once the ledger has them, and asks it whether the batch is to stop. */
  async recorded(conclusions: readonly RowConclusion[]): Promise<void> {
    const { ledger, batchId, limit, onStop } = this.#options;
    const refused = conclusions.filter(({ conclusion }) => conclusion.state === 'rejected').length;
    if (this.#isOver || refused === 0) return;
    const verdict = await ledger.stopIfRefusedAlike(batchId, limit);
    this.#unjudged -= refused;
    if (verdict !== null && verdict !== 'some_created') onStop(verdict);
    if (verdict !== null) this.end();
    else if (this.#unjudged <= 0) this.#open();
  }

  /** Nothing is to be watched any more, and nobody waits for a verdict. */
  end(): void {
    this.#isOver = true;
    this.#open();
  }

  #open(): void {
    this.#gate?.open();
    this.#gate = null;
  }
}

function closedGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
