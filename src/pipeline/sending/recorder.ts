import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { RowConclusion } from '../../domain/rows/ledger-row.ts';
import type { LedgerPort } from '../ports.ts';

/**
 * How long a run gathers answers between two groups: those of a fast API share one statement, and for a slow one
 * it is little beside the waiting. A crash in between leaves them unknown, and they are sent again.
 */
export const gatherInMs = 25;

/** Collects conclusions and records them in groups: while one group is written, the next one gathers. */
export interface Recorder {
  /** Takes a conclusion on. What became of it, `onDone` tells. */
  readonly record: (conclusion: RowConclusion) => void;
  /** Says that few more will come: from now on nothing waits for them. */
  readonly hurry: () => void;
}

export interface RecorderOptions {
  readonly ledger: Pick<LedgerPort, 'recordConclusions'>;
  readonly batchId: string;
  readonly runId: string;
  /**
   * Waits between two groups: what comes in meanwhile shares one statement and one commit, which cost the
   * database several times as much for each row alone. Without it the next group is written at once.
   */
  readonly gather?: () => Promise<void>;
  /** Called with those that count; a conclusion whose lease was lost meanwhile does not. */
  readonly onRecorded: (conclusions: readonly RowConclusion[]) => void;
  /** Called for each group when nothing more will happen to it, with the ledger's error where it failed. */
  readonly onDone: (rows: number, failure: { readonly error: unknown } | null) => void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  let gathering: RowConclusion[] = [];
  let isWriting = false;
  let isHurried = false;
  let continueBatches = (): void => {};

  const gatherMore = (): Promise<void> | undefined => {
    if (options.gather === undefined || isHurried) return undefined;
    const { gather } = options;
    return new Promise((resolve, reject) => {
      continueBatches = resolve;
      gather().then(resolve, reject);
    });
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (gathering.length > 0) {
      // Where the embedded ledger runs in this thread, it keeps it while it writes: the answers that came in meanwhile
      // have to be read first, or each would be written alone.
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
      continueBatches();
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
