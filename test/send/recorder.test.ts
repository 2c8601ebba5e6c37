import { describe, expect, it } from 'vitest';
import type { RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import { createRecorder, type RecorderOptions } from '../../src/send/recorder.ts';

function conclusion(row: number): RowConclusion {
  const created = {
    state: 'created',
    objectId: `object-${row}`,
    code: null,
    message: null,
    attempts: [],
  } as const;
  return { row, generation: 1, leaseToken: '1', idempotencyKey: `key-${row}`, conclusion: created };
}

/** A ledger that notes the rows of each group, and takes them all. */
function ledgerNoting(groups: number[][]): RecorderOptions['ledger'] {
  return {
    recordConclusions: async (_batch, _run, conclusions) => {
      groups.push(conclusions.map(({ row }) => row));
      return new Set(conclusions.map(({ row }) => row));
    },
  };
}

/** A recorder whose `record` resolves, or rejects, when it is done with a conclusion. */
function recorderWith(options: Partial<RecorderOptions> & Pick<RecorderOptions, 'ledger'>) {
  const waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  const recorder = createRecorder({
    batchId: 'batch',
    runId: 'run',
    onRecorded: () => {},
    onDone: (rows, failure) => {
      for (const { resolve, reject } of waiting.splice(0, rows)) {
        if (failure === null) resolve();
        else reject(failure.error);
      }
    },
    ...options,
  });
  return {
    hurry: recorder.hurry,
    record: (row: RowConclusion) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject });
        recorder.record(row);
      }),
  };
}

describe('the recorder', () => {
  it('writes what gathers meanwhile as one group, in order, and nothing twice', async () => {
    const groups: number[][] = [];
    const recorder = recorderWith({
      ledger: {
        recordConclusions: async (_batch, _run, conclusions) => {
          groups.push(conclusions.map(({ row }) => row));
          await new Promise((resolve) => setTimeout(resolve, 5));
          return new Set(conclusions.map(({ row }) => row));
        },
      },
    });
    const first = recorder.record(conclusion(1));
    await new Promise((resolve) => setTimeout(resolve, 2));
    const others = [2, 3, 4].map((row) => recorder.record(conclusion(row)));
    await Promise.all([first, ...others]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  it('waits for more between two groups where an option says so, and never before the first', async () => {
    const groups: number[][] = [];
    let enough: () => void = () => {};
    const recorder = recorderWith({
      ledger: ledgerNoting(groups),
      gather: () =>
        new Promise((resolve) => {
          enough = resolve;
        }),
    });
    await recorder.record(conclusion(1));
    const second = recorder.record(conclusion(2));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const third = recorder.record(conclusion(3));
    expect(groups).toEqual([[1]]);
    enough();
    await Promise.all([second, third]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('waits for nothing any more once it has to hurry', async () => {
    const groups: number[][] = [];
    const recorder = recorderWith({
      ledger: ledgerNoting(groups),
      gather: () => new Promise(() => {}),
    });
    await recorder.record(conclusion(1));
    const second = recorder.record(conclusion(2));
    recorder.hurry();
    await second;
    await recorder.record(conclusion(3));
    expect(groups).toEqual([[1], [2], [3]]);
  });

  it('resolves, without an error, a conclusion whose lease was lost', async () => {
    const recorded: number[] = [];
    const recorder = recorderWith({
      ledger: { recordConclusions: async () => new Set([2]) },
      onRecorded: (conclusions) => recorded.push(...conclusions.map(({ row }) => row)),
    });
    await Promise.all([1, 2, 3].map((row) => recorder.record(conclusion(row))));
    expect(recorded).toEqual([2]);
  });

  it('rejects every conclusion of a group when the ledger fails, and continues with the next group', async () => {
    let isDown = true;
    const recorder = recorderWith({
      ledger: {
        recordConclusions: async (_batch, _run, conclusions) => {
          if (isDown) throw new Error('down');
          return new Set(conclusions.map(({ row }) => row));
        },
      },
    });
    const ends = await Promise.allSettled([1, 2].map((row) => recorder.record(conclusion(row))));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    await recorder.record(conclusion(3));
  });
});
