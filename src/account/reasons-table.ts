import type { BatchAccount } from '../domain/batches/account.ts';
import { figure, shrinking, type Table } from './table/table.ts';

/** Rows that wait for a person or for time, by status and reason; empty while they are not added up. */
export function reasonsTable({ open }: Pick<BatchAccount, 'open'>): Table {
  return {
    title: 'Reasons',
    columns: ['Status', shrinking('Why'), figure('Rows')],
    rows: (open ?? []).map(({ status, code, rows }) => [
      { status },
      code === null ? 'several reasons' : { code },
      rows,
    ]),
  };
}
