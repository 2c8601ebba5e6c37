import { expect, it } from 'vitest';
import { mappingTable } from '../../../src/output/terminal/mapping-table.ts';

it('shows each column, what it means, how sure that is and why, and what is open', () => {
  const text = mappingTable(
    {
      columns: [
        { title: 'IBAN No.', field: 'iban', certainty: 'sure', why: 'a known name of it' },
        { title: 'Swift', field: null, certainty: 'likely', why: 'left out' },
        { title: 'Foo\u001b[2J', field: null, certainty: 'open', why: 'is not known' },
      ],
      readings: ['Days in “DOB” are written DD/MM/YYYY.'],
      open: ['“DOB”: which comes first, day or month?'],
    },
    false,
  );
  expect(text).toBe(
    [
      '  IBAN No.  →  iban      sure       a known name of it',
      '  Swift     →  left out  likely     left out',
      '  Foo\uFFFD[2J   →  ?         to decide  is not known',
      '',
      '  ! Days in “DOB” are written DD/MM/YYYY.',
      '',
      '  ? “DOB”: which comes first, day or month?',
    ].join('\n'),
  );
});
