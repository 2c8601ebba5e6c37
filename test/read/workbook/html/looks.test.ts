import { afterEach, expect, it } from 'vitest';
import { readTable, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const cells = (first: string, second: string): string => `<tr><td>${first}</td><td>${second}</td></tr>`;

it('the look of rows is that of their filled cells, by attributes, style sheet and tags', async () => {
  const style = '<style>.gone { text-decoration: line-through } .kept { color: #000000 }</style>';
  const rows = [
    cells('<s>x</s>', '<del>y</del>'),
    '<tr class="gone"><td>x</td><td>y</td></tr>',
    '<tr bgcolor="#FFFF00"><td>x</td><td>y</td></tr>',
    '<tr><td style="background-color: #FFFF00">x</td><td style="background:#ffff00">y</td></tr>',
    '<tr><td class="kept">x</td><td>y</td></tr>',
    cells('<s>x</s>', 'y'),
  ];
  const page = `<html><head>${style}</head><body><table>${cells('a', 'b')}${rows.join('')}</table></body></html>\n`;
  const { rows: read } = await readTable(page);
  expect(read.map(({ look }) => look)).toEqual([
    { marks: ['struck through'], partly: [] },
    { marks: ['struck through'], partly: [] },
    { marks: ['yellow FFFF00'], partly: [] },
    { marks: ['yellow FFFF00'], partly: [] },
    undefined,
    { marks: [], partly: ['struck through'] },
  ]);
});
