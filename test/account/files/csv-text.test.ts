import { stringify } from 'csv-stringify/sync';
import { expect, it } from 'vitest';
import { csvText } from '../../../src/account/files/replacement-file.ts';
import { protectCell } from '../../../src/domain/tables/table.ts';
import { createRandom } from '../../simulation/random.ts';

const options = { record_delimiter: '\r\n', quote_record_delimiter: true, quoted_match: /^\s*'.*'\s*$/s };

/** What plain cells and others are made of. */
const pieces = ['a', '1', ' ', "'", '"', ',', '\r', '\n', '\t', '=', '+', '-', '@', 'é', '\uFF1D', ''];

it('writes what csv-stringify writes, whatever the cells contain and wherever they are', () => {
  const random = createRandom(1);
  for (let round = 0; round < 300; round += 1) {
    const isTame = random.chance(0.5);
    const records = Array.from({ length: random.whole(1, 130) }, () =>
      Array.from({ length: 3 }, () =>
        Array.from({ length: random.whole(0, 3) }, () =>
          isTame && random.chance(0.99) ? 'a' : random.pick(pieces),
        ).join(''),
      ),
    );
    const guarded = records.map((record) => record.map(protectCell));
    expect(csvText(records)).toBe(stringify(guarded, options));
  }
});

it('writes no NUL, which would make the file none of text', () => {
  expect(csvText([['a\0b', 'c']])).toBe('a\uFFFDb,c\r\n');
});

it('writes nothing for no records, and a record of one empty cell as a line', () => {
  expect([csvText([]), csvText([['']])]).toEqual(['', stringify([['']], options)]);
});

it('shows control characters instead of having a terminal act on them; white space stays', () => {
  const colour = '\u001b[31mred\u001b[0m';
  expect(csvText([[colour, 'b\u0007\u007f', 'c\u009b1m']])).toBe('␛[31mred␛[0m,b␇␡,c\uFFFD1m\r\n');
  // Words of other scripts need the joiners, and line breaks of a cell are its own.
  expect(csvText([['a\tb\vc\fd\u0085e', 'f\r\ng', 'می\u200cخواهم']])).toBe(
    'a\tb\vc\fd\u0085e,"f\r\ng",می\u200cخواهم\r\n',
  );
  expect(csvText([['"\u001b"', 'x,\u0001']])).toBe('"""␛""","x,␁"\r\n');
});
