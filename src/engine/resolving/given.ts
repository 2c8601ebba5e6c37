import { basename } from 'node:path';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { InputError } from '../../input/file/input-error.ts';
import { openInput } from '../../input/open.ts';
import type { InputFile } from '../../input/table/opened-table.ts';
import {
  type FoundProblems,
  requestSource,
  type VerdictSource,
} from '../../reconcile/verdicts/decide-rows.ts';
import type { GivenVerdict } from '../../reconcile/verdicts/decision.ts';
import { verdictReader } from '../../reconcile/verdicts/verdict-file.ts';

/** The verdicts that were asked for, before anything is known about their rows. */
export interface GivenVerdicts {
  readonly source: VerdictSource;
  /** Reads them from the beginning, page by page; lines that are no verdict become problems, where wanted. */
  readonly pages: (problems?: FoundProblems) => AsyncGenerator<readonly GivenVerdict[]>;
  readonly close: () => Promise<void>;
}

/** The verdict of a command line. */
export function oneVerdict(verdict: GivenVerdict): GivenVerdicts {
  async function* pages(): AsyncGenerator<readonly GivenVerdict[]> {
    yield [verdict];
  }
  return { source: requestSource, pages, close: async () => {} };
}

/**
 * Opens a file of verdicts, which is read anew for each look at its lines: it has as many as a batch has rows.
 * @throws PaybatchError (`file_refused`) for a file that cannot be read, or that lacks a column
 */
export async function openVerdictFile(path: string): Promise<GivenVerdicts> {
  const file = await readably(path, () =>
    openInput(path, { isHeader: (cells) => cells.includes('row') && cells.includes('verdict') }),
  );
  try {
    return givenIn(path, file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function givenIn(path: string, file: InputFile): GivenVerdicts {
  const name = basename(path);
  const [table] = file.tables;
  const read = verdictReader(name, table?.header ?? []);
  async function* pages(problems?: FoundProblems): AsyncGenerator<readonly GivenVerdict[]> {
    const groups = table?.rows()[Symbol.asyncIterator]();
    for (;;) {
      const group = await readably(path, async () => groups?.next());
      if (group === undefined || group.done === true) return;
      const lines = group.value.map(read);
      for (const line of lines) if (line !== null && 'problem' in line) problems?.add(line.problem);
      yield lines.flatMap((line) => (line !== null && 'verdict' in line ? [line.verdict] : []));
    }
  }
  return { source: { name, isFile: true }, pages, close: () => file.close() };
}

async function readably<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new PaybatchError(error.code, `${path}: ${error.message}`, error.remedies, {
      kind: 'file_refused',
    });
  }
}
