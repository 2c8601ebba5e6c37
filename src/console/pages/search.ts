/* What a search has found: batches, and rows with what they were found by. */

import { html, section } from '../../account/report/page.ts';
import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Found } from '../../engine/find.ts';
import type { Page } from './layout.ts';
import { linkCell, tableView } from './table.ts';

const foundBy: Readonly<Record<Found['rows'][number]['by'], string>> = {
  object: 'the id of its object',
  key: 'its idempotency key',
  reference: 'its reference',
  account: 'its account or phone number',
  name: 'its name',
};

/** The page of a search. @param text what was looked for */
export function searchPage(text: string, { named, rows }: Found): Page {
  const isNothing = named.length === 0 && rows.length === 0;
  return {
    title: text === '' ? 'Find a batch or a row' : `Found for ${text}`,
    part: '/batches',
    content: [
      tableView({
        title: 'Batches',
        columns: ['Batch', 'File', 'Kind', 'Received'],
        rows: named.map(({ id, fileName, kind, createdAt }) => [
          linkCell(shortBatchId(id), `/batches/${id}`),
          fileName,
          kind,
          { time: createdAt },
        ]),
      }),
      tableView({
        title: 'Rows',
        columns: ['Row', 'File', 'Batch', 'Found by'],
        rows: rows.map(({ batch, file, row, by }) => [
          linkCell(row, `/batches/${batch}/rows/${row}`),
          file,
          linkCell(shortBatchId(batch), `/batches/${batch}`),
          foundBy[by],
        ]),
      }),
      isNothing
        ? section(
            'Nothing was found',
            html`<p>Look for a name by whole words, an account number or IBAN, a phone number with its country code (+254…), the id of a batch or of an object, an idempotency key, a reference such as an external id, or a part of a file's name. Spaces do not matter in numbers, and accents, capitals and the order of words do not in names.</p>
<p>For a part of a word or number, and for invalid rows, open <a href="/batches">the batch</a> and filter its rows.</p>`,
          )
        : null,
    ],
  };
}
