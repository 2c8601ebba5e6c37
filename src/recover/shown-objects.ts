/* What the result files beside a run log have as created: evidence against a log that does not say so. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CallContext } from '../call/context.ts';
import { unprotectCell } from '../domain/tables/table.ts';
import { InputError } from '../read/file/input-error.ts';
import { openInput } from '../read/open.ts';
import type { LoggedEvent } from './logged-event.ts';

type ShownEvent = Extract<LoggedEvent, { event: 'row.shown' }>;

/** The endings of files that tell what was created, also of those that an earlier recovery has set aside. */
const endings = /^(results|objects)(?:\.before-recover(?:-\d+)?)?\.csv$/;

/** The result files that stand beside a log under its name; those with keys last, since the last word counts. */
export function resultFilesBeside(log: string): string[] {
  const [folder, name] = [dirname(log), basename(log)];
  const stem = /^(.+)\.run\.jsonl$/.exec(name)?.[1];
  if (stem === undefined || !existsSync(folder)) return [];
  const files = readdirSync(folder).filter(
    (file) => file.startsWith(`${stem}.`) && endings.test(file.slice(stem.length + 1)),
  );
  return files.sort().map((file) => join(folder, file));
}

/**
 * The rows of a batch that result files beside a log have as created.
 * @param batch whole id; rows of other batches are passed over, where a file says so
 */
export async function* shownObjects(
  app: CallContext,
  log: string,
  batch: string,
): AsyncGenerator<ShownEvent> {
  for (const path of resultFilesBeside(log)) {
    try {
      yield* shownIn(path, batch);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const text = `${path} cannot be read, and is no evidence of what was created: ${error.message}`;
      app.report({ kind: 'note', note: { code: 'file_remark', file: null, text } });
    }
  }
}

async function* shownIn(path: string, batch: string): AsyncGenerator<ShownEvent> {
  const file = await openInput(path, {
    delimiter: ',',
    encoding: 'utf-8',
    isHeader: (cells) => cells.includes('result_row') && cells.includes('result_status'),
  });
  try {
    const [table] = file.tables;
    if (table === undefined) return;
    // A row's own columns come first, and may be called alike.
    const placeOf = (title: string): number => table.header.lastIndexOf(title);
    const [row, status, id] = ['result_row', 'result_status', 'result_id'].map(placeOf);
    const [key, ofBatch] = ['result_idempotency_key', 'result_batch'].map(placeOf);
    for await (const group of table.rows()) {
      for (const { cells } of group) {
        const cell = (place = -1): string => unprotectCell(cells[place] ?? '');
        const number = Number(cell(row));
        const isOther = ofBatch !== -1 && cell(ofBatch) !== batch;
        if (cell(status) !== 'created' || cell(id) === '' || !Number.isInteger(number) || isOther) continue;
        const shown = { event: 'row.shown', time: '', batch, row: number, id: cell(id) } as const;
        yield { ...shown, key: cell(key) === '' ? null : cell(key) };
      }
    }
  } finally {
    await file.close();
  }
}
