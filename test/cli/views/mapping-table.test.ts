import { expect, it } from 'vitest';
import { readingTable } from '../../../src/cli/views/mapping-table.ts';

const view = {
  about: 'recipients',
  columns: [
    { column: 'IBAN No.', field: 'iban', samples: ['DE89 3704'], repairs: ['number_cells'] },
    { column: 'Name', field: ['first_name', 'last_name'], samples: ['Lukas Schneider'], repairs: [] },
    { column: 'F\u001b[2J', field: null, samples: [], repairs: [] },
  ],
  forecast: { pass: 591, refused: 21, left_out: 1 },
  reasons: [{ column: 'IBAN No.', rows: 21, example_row: 7, message: 'is not an IBAN' }],
  open: ['hidden: rows are hidden'],
};

it('shows each column with what it is read as, the forecast, the reasons, and what is open', () => {
  expect(readingTable(view, false)).toBe(
    [
      '  Column    is read as                                       for example',
      '  IBAN No.  IBAN (iban); number cells                        DE89 3704',
      '  Name      first name (first_name) + last name (last_name)  Lukas Schneider',
      '  F\uFFFD[2J     left out',
      '',
      '  591 of 612 rows would pass; 21 are refused; 1 line is no row.',
      '',
      '    21  IBAN No.: is not an IBAN (row 7)',
      '',
      '    ? hidden: rows are hidden',
    ].join('\n'),
  );
});

it('leaves the column of examples out where none are shown', () => {
  const columns = view.columns.map((column) => ({ ...column, samples: [] }));
  expect(readingTable({ ...view, columns }, false)).not.toContain('for example');
});
