import { expect, it } from 'vitest';
import { planTables } from '../../../src/account/batch-tables.ts';
import { changesTables } from '../../../src/account/changes.ts';
import { type Table, tableMark } from '../../../src/account/table.ts';
import { contentOf, tableView } from '../../../src/console/pages/table.ts';
import type { ShownPayee } from '../../../src/domain/rows/finding.ts';

const onReport = (tables: readonly Table[]): string => tables.map((table) => tableMark(table).text).join('');
const onPage = (tables: readonly Table[]): string =>
  contentOf(
    null,
    tables.map((table) => tableView(table)),
  ).text;

it('has codes in reports, where the documentation explains them, and words on pages', () => {
  const tables = planTables({
    send: [],
    skip: [{ status: 'invalid', code: 'invalid_phone', rows: 1, firstRow: 2 }],
  });
  expect(onReport(tables)).toContain('invalid_<wbr>phone');
  expect(onPage(tables)).toContain('>invalid phone<');
});

it('shows moments among the words of a cell on pages like all others', () => {
  const payee: ShownPayee = { name: 'Amina', account: '4000', institution: '', customer: '' };
  const tables = changesTables({
    counts: { payee_details_changed: 1 },
    shown: [
      {
        ...{ row: 2, code: 'payee_details_changed', before: payee, after: { ...payee, account: '4001' } },
        ...{ amount: null, currency: null, isStillUsed: null },
        earlier: {
          ...{ batch: '6db98a5a-0000-4000-8000-000000000000', file: 'last.csv', row: 7 },
          createdAt: '2026-11-20T10:03:07.000Z',
        },
      },
    ],
  });
  expect(onReport(tables)).toContain('created 2026-11-20 10:03:07 UTC');
  expect(onPage(tables)).toContain('created <time datetime="2026-11-20T10:03:07.000Z" data-moment>');
});
