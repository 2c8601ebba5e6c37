import { join } from 'node:path';
import type { RowAdvice } from '../../domain/rows/undecided-row.ts';
import { type Line, lineCells, lineColumns, type SideNames } from './breaks-lines.ts';
import { CsvFile } from './csv-file.ts';

/** The files of one comparison; those without a line are null, and older ones of that name are gone. */
export interface WrittenComparison {
  readonly breaks: string | null;
  readonly pairs: string | null;
}

/**
 * Writes `STEM.pairs.csv` with every line of a comparison and `STEM.breaks.csv` with those that somebody has
 * to look at.
 * @param compare does the comparison, and hands its lines on as they come
 * @throws OutputError when a file cannot be written; what `compare` throws comes through unchanged
 */
export async function writeComparison<Result>(
  options: {
    readonly directory: string;
    readonly stem: string;
    readonly names: SideNames;
    /** The UTC day from which ages count. */
    readonly today: string;
  },
  compare: (
    write: (lines: readonly (Line & { readonly isBreak: boolean })[]) => Promise<void>,
  ) => Promise<Result>,
): Promise<{ readonly result: Result; readonly files: WrittenComparison }> {
  const { directory, stem, names } = options;
  const today = Date.parse(options.today);
  const pairs = await CsvFile.create(join(directory, `${stem}.pairs.csv`), lineColumns);
  const breaks = await CsvFile.create(join(directory, `${stem}.breaks.csv`), lineColumns);
  try {
    const result = await compare(async (lines) => {
      const cells = lines.map((line) => lineCells(line, names, today));
      await pairs.write(cells);
      await breaks.write(cells.filter((_, at) => lines[at]?.isBreak));
    });
    return { result, files: { breaks: await breaks.publish(), pairs: await pairs.publish() } };
  } catch (error) {
    await pairs.discard();
    await breaks.discard();
    throw error;
  }
}

const verdictColumns = [
  ...['row', 'status', 'key', 'attempts', 'name', 'amount', 'reference', 'age', 'what is known'],
  ...['possible verdicts', 'verdict', 'id', 'note'],
];

/** Beside the cell that waits for one of them. */
const possibleVerdicts = 'created (with its id), not-created, existing (with its id) or send';

/**
 * Writes `STEM.verdicts.csv`: the rows that wait for a person, with an empty column for the verdict.
 * @param foundIds ids that the other side has for some of the rows
 * @returns its path, or null when no row waits
 * @throws OutputError
 */
export async function writeVerdictsFile(
  directory: string,
  stem: string,
  undecided: AsyncIterable<readonly RowAdvice[]>,
  foundIds: ReadonlyMap<number, string>,
): Promise<string | null> {
  const file = await CsvFile.create(join(directory, `${stem}.verdicts.csv`), verdictColumns);
  try {
    for await (const group of undecided) {
      await file.write(
        group.map(({ row, status, key, attempts, name, amount, reference, age, known, advice }) => {
          const id = foundIds.get(row) ?? '';
          return [
            ...[
              String(row),
              status,
              key ?? '',
              String(attempts),
              name,
              amount,
              reference,
              age,
              `${known}; ${advice}`,
            ],
            ...[possibleVerdicts, '', id, ''],
          ];
        }),
      );
    }
    return await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
