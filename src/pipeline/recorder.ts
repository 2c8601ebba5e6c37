import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { RowConclusion } from '../domain/ledger-row.ts';
import type { LedgerPort } from './ports.ts';

/** Collects conclusions and records them in groups: while one group is written, the next one gathers. */
export interface Recorder {
  /** Resolves when the conclusion is in the ledger, or was found to come too late. Rejects with the ledger. */
  readonly record: (conclusion: RowConclusion) => Promise<void>;
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
}

interface Pending {
  readonly conclusion: RowConclusion;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  let gathering: Pending[] = [];
  let isWriting = false;
  let isHurried = false;
  let goOn = (): void => {};

  const gatherMore = (): Promise<void> | undefined => {
    if (options.gather === undefined || isHurried) return undefined;
    const { gather } = options;
    return new Promise((resolve, reject) => {
      goOn = resolve;
      gather().then(resolve, reject);
    });
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (gathering.length > 0) {
      // The embedded ledger blocks this thread while it writes: the answers that came in meanwhile have
      // to be read first, or each would be written alone.
      await turnOfEventLoop();
      const group = gathering;
      gathering = [];
      await writeGroup(options, group);
      await gatherMore();
    }
    isWriting = false;
  };

  return {
    record: (conclusion) =>
      new Promise((resolve, reject) => {
        gathering.push({ conclusion, resolve, reject });
        if (!isWriting) void writeAll();
      }),
    hurry: () => {
      isHurried = true;
      goOn();
    },
  };
}

async function writeGroup(options: RecorderOptions, group: readonly Pending[]): Promise<void> {
  const conclusions = group.map(({ conclusion }) => conclusion);
  try {
    const recorded = await options.ledger.recordConclusions(options.batchId, options.runId, conclusions);
    options.onRecorded(conclusions.filter(({ row }) => recorded.has(row)));
    for (const { resolve } of group) resolve();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}
