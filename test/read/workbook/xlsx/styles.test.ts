import { afterEach, describe, expect, it } from 'vitest';
import { textRow, workbookParts, zip } from '../../../support/workbook.ts';
import { readTable, removeTemporaryFiles } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const styles = `<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<fonts><font/><font><strike/></font><font><strike val="0"/><color rgb="FFFF0000"/></font></fonts>
<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill>
<fill><patternFill patternType="solid"><fgColor theme="9" tint="0.4"/></patternFill></fill><fill><patternFill patternType="solid"><fgColor indexed="10"/></patternFill></fill></fills>
<cellXfs><xf/><xf fontId="1"/><xf fillId="1"/><xf fontId="2"/><xf fillId="2"/><xf fillId="3"/></cellXfs>
<dxfs><dxf><font><strike/></font><fill><patternFill><fgColor rgb="FF00FF00"/></patternFill></fill></dxf></dxfs></styleSheet>`;

/** A row of two filled cells, and an empty one, in these styles. */
function row(number: number, first: number, second: number): string {
  const cell = (column: string, style: number) =>
    `<c r="${column}${number}" s="${style}" t="inlineStr"><is><t>x</t></is></c>`;
  return `<row r="${number}">${cell('A', first)}${cell('B', second)}<c r="C${number}" s="2"/></row>`;
}

describe('the look of rows', () => {
  it('is that of most of their filled cells, by the fonts and fills of the styles part', async () => {
    const rows = [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [5, 5],
      [0, 0],
      [1, 0],
    ].map(([first = 0, second = 0], at) => row(at + 2, first, second));
    const parts = workbookParts({
      sheets: [{ name: 'S', rows: textRow(1, ['a', 'b', 'c']) + rows.join('') }],
      formats: [0],
    }).map((part) => (part.name === 'xl/styles.xml' ? { ...part, data: styles } : part));
    const { rows: read } = await readTable(zip(parts));
    expect(read.map(({ look }) => look)).toEqual([
      { marks: ['struck through'], partly: [] },
      { marks: ['yellow FFFF00'], partly: [] },
      { marks: ['red text FF0000'], partly: [] },
      { marks: ['green A9CE91'], partly: [] },
      { marks: ['red FF0000'], partly: [] },
      undefined,
      { marks: [], partly: ['struck through'] },
    ]);
  });
});
