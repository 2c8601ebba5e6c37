/* Records the answers of a batch in groups, and detects that all rows are refused for one reason. */

import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { RowConclusion } from '../domain/rows/ledger-row.ts';
import { reasonOfRefusal } from '../domain/sending/answer.ts';
import type { Conclusion } from '../domain/sending/outcome.ts';
import type { RefusedAlike } from '../domain/sending/stops.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';

interface RefusalWatchOptions {
  readonly ledger: Pick<LedgerVerbs, 'stopIfRefusedAlike'>;
  readonly batchId: string;
  /** Number of rows refused for one reason at which the batch is stopped, if no row was created; null for never. */
  readonly limit: number | null;
  readonly onStop: (refused: RefusedAlike) => void;
}

/**
 * Detects that all rows of a batch are refused for one reason. The ledger decides, since it knows the rows of all runs.
 * Once this run alone has reached the limit, no further row begins until the ledger has decided. Rows in flight are not
 * stopped.
 */
export class RefusalWatch {
  readonly #options: RefusalWatchOptions;
  readonly #alike = new Map<string, number>();
  #isOver: boolean;
  /** Refusals for which the ledger has not decided yet. */
  #unjudged = 0;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  constructor(options: RefusalWatchOptions) {
    this.#options = options;
    this.#isOver = options.limit === null;
  }

  /** What a row waits for before it is sent; null for nothing. */
  get verdict(): Promise<void> | null {
    return this.#gate?.opened ?? null;
  }

  /** Called with a row as soon as it is concluded. */
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

  /** Called with rows after the ledger has recorded them. Asks the ledger whether to stop the batch. */
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

  /** Ends the watch; no row waits for it any more. */
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

/**
 * How long a run gathers answers between two groups. Answers of a fast API then share one statement, and with a slow API
 * the delay is relatively small. After a crash in this time the rows are unknown, and the next run sends them again.
 */
const gatherInMs = 25;

/** Waits for the time in which answers are gathered. */
export const gatherAnswers = (): Promise<void> => sleep(gatherInMs);

/** Collects conclusions and records them in groups: while one group is written, the next one is collected. */
export interface Recorder {
  /** Takes a conclusion. `onDone` is called after it was recorded. */
  readonly record: (conclusion: RowConclusion) => void;
  /** Announces that few more conclusions will follow: from now on a group is written without waiting for more of them. */
  readonly hurry: () => void;
}

export interface RecorderOptions {
  readonly ledger: Pick<LedgerVerbs, 'recordConclusions'>;
  readonly batchId: string;
  readonly runId: string;
  /**
   * Waits between two groups, so that answers that arrive meanwhile share one statement and one commit. Separate commits
   * would cost the database several times as much per row. When absent, the next group is written at once.
   */
  readonly gather?: () => Promise<void>;
  /** Called with the recorded conclusions. A conclusion whose lease was lost meanwhile does not count, and is left out. */
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called when a group is finished, with the ledger's error if it failed. */
  readonly onDone: (rows: number, failure: { readonly error: unknown } | null) => void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  let gathering: RowConclusion[] = [];
  let isWriting = false;
  let isHurried = false;
  let endGathering = (): void => {};

  const gatherMore = (): Promise<void> | undefined => {
    if (options.gather === undefined || isHurried) return undefined;
    const { gather } = options;
    return new Promise((resolve, reject) => {
      endGathering = resolve;
      gather().then(resolve, reject);
    });
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (gathering.length > 0) {
      // An embedded ledger runs in this thread and blocks it while it writes. The answers that arrived meanwhile have to be
      // read first, or each would be written alone.
      await turnOfEventLoop();
      const group = gathering;
      gathering = [];
      await writeGroup(options, group);
      await gatherMore();
    }
    isWriting = false;
  };

  return {
    record: (conclusion) => {
      gathering.push(conclusion);
      if (!isWriting) void writeAll();
    },
    hurry: () => {
      isHurried = true;
      endGathering();
    },
  };
}

async function writeGroup(options: RecorderOptions, group: readonly RowConclusion[]): Promise<void> {
  try {
    const recorded = await options.ledger.recordConclusions(options.batchId, options.runId, group);
    options.onRecorded(group.filter(({ row }) => recorded.has(row)));
    options.onDone(group.length, null);
  } catch (error) {
    options.onDone(group.length, { error });
  }
}
