/* Tables of pages as CSV: a parameter of any page's address requests one of its tables. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvOfTable } from '../../account/table/table-csv.ts';
import type { Page } from '../pages/layout.ts';
import { csvFileName, csvParameter, tableIn } from '../pages/table.ts';
import { PageProblem } from '../under-way/failures.ts';

/** The table of its page that a request names; null if it requests the page. */
export function tableAskedFor({ method, url }: FastifyRequest): string | null {
  return method === 'GET' ? new URLSearchParams(url.split('?', 2)[1] ?? '').get(csvParameter) : null;
}

/**
 * Sends a table of a page as a file.
 * @throws PageProblem where the page has no such table, or no longer has it
 */
export function sendTable(reply: FastifyReply, { title, content }: Page, id: string): FastifyReply {
  const table = tableIn(content, id);
  if (table === null)
    throw new PageProblem(404, 'The page has no such table.', 'Look at the page: it may be empty by now.');
  const name = encodeURIComponent(csvFileName(title, table));
  return reply
    .type('text/csv; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
    .send(csvOfTable(table));
}
