import { afterEach, expect, it } from 'vitest';
import { readTable, removeTemporaryFiles } from '../../reading.ts';
import { ods, odsRow, odsSheet, odsText } from './archive.ts';

afterEach(removeTemporaryFiles);

const fo = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"';
const style = (name: string, properties: string): string =>
  `<style:style style:name="${name}" style:family="table-cell">${properties}</style:style>`;
const styles = [
  style('struck', '<style:text-properties style:text-line-through-style="solid"/>'),
  style('plain', '<style:text-properties style:text-line-through-style="none"/>'),
  style('yellow', `<style:table-cell-properties ${fo} fo:background-color="#ffff00"/>`),
  style('red', `<style:text-properties ${fo} fo:color="#ff0000"/>`),
].join('');

function row(first: string, second: string): string {
  const cell = (name: string) =>
    `<table:table-cell table:style-name="${name}" office:value-type="string"><text:p>x</text:p></table:table-cell>`;
  return odsRow(cell(first) + cell(second));
}

it('the look of rows is that of their filled cells, by the styles of the file', async () => {
  const rows = [
    row('struck', 'struck'),
    row('yellow', 'yellow'),
    row('red', 'red'),
    row('plain', 'plain'),
    row('struck', 'plain'),
  ];
  const header = odsRow(odsText('a') + odsText('b'));
  const { rows: read } = await readTable(ods({ sheets: odsSheet(header + rows.join('')), styles }));
  expect(read.map(({ look }) => look)).toEqual([
    { marks: ['struck through'], partly: [] },
    { marks: ['yellow FFFF00'], partly: [] },
    { marks: ['red text FF0000'], partly: [] },
    undefined,
    { marks: [], partly: ['struck through'] },
  ]);
});
