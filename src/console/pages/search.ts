/* What a search has found: batches, and rows with what they were found by. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { Found } from '../../engine/find.ts';
import { html, section } from '../../output/report/page.ts';
import { moment, type Page } from './layout.ts';
import { tableView } from './table.ts';

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
          html`<a href="/batches/${id}">${shortBatchId(id)}</a>`,
          fileName,
          kind,
          moment(createdAt),
        ]),
      }),
      tableView({
        title: 'Rows',
        columns: ['Row', 'File', 'Batch', 'Found by'],
        rows: rows.map(({ batch, file, row, by }) => [
          html`<a href="/batches/${batch}/rows/${row}">${row}</a>`,
          file,
          html`<a href="/batches/${batch}">${shortBatchId(batch)}</a>`,
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
