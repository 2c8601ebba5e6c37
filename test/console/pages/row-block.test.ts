import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { rowBlock } from '../../../src/console/pages/assets.ts';

interface Blocks {
  readonly read: (text: string) => readonly (readonly string[])[];
  readonly write: (lines: readonly (readonly string[])[]) => string;
}

/** As the page's script gets it. */
const blocks: Blocks = runInNewContext(`${rowBlock}; globalThis.tableBlocks`);

const read = (text: string): unknown => JSON.parse(JSON.stringify(blocks.read(text)));

it.each([
  ['one cell', 'a', [['a']]],
  [
    'a block, with the line break at its end',
    'a\tb\r\nc\td\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['empty cells', '\ta\n\n\tb', [['', 'a'], [''], ['', 'b']]],
  ['a cell with a line break, a tabulator and quotes', '"a\nb\tc ""d"""\te', [['a\nb\tc "d"', 'e']]],
  ['quotes that are no quoting', '"a" b\t5"\t"', [['"a" b', '5"', '"']]],
  ['a formula, which is text', '=HYPERLINK("http://x")', [['=HYPERLINK("http://x")']]],
  ['markup, which is text', '<img src=x onerror=alert(1)>', [['<img src=x onerror=alert(1)>']]],
  ['old line breaks', 'a\rb', [['a'], ['b']]],
])('reads %s', (_, text, lines) => expect(read(text)).toEqual(lines));

it('reads what it has written', () => {
  const lines = [
    ['a', 'b "c"', ''],
    ['d\ne', '\tf', '"'],
  ];
  expect(read(blocks.write(lines))).toEqual(lines);
});

it('reads 10,000 lines, and quotes that never end', () => {
  expect(blocks.read('a\tb\n'.repeat(10_000))).toHaveLength(10_000);
  expect(blocks.read(`"${'a\t'.repeat(10_000)}`)).toHaveLength(1);
});
