import { expect, it } from 'vitest';
import { defaultLimits, InputError } from '../../../../src/read/file/input-error.ts';
import { PageStyles } from '../../../../src/read/workbook/html/styles.ts';
import { TableReader } from '../../../../src/read/workbook/html/table-reader.ts';
import { seededRandom } from '../../reading.ts';

/** Parts of pages, whole and broken, in any order. */
const parts = [
  ...['<table>', '</table>', '<table hidden>', '<tr>', '</tr>', '<tr style="display:none">', '</html>'],
  ...['<td>', '</td>', '<th colspan=3>', '<td rowspan=2>', '<td rowspan=0 hidden>', '<td style="a:b;;c">'],
  ...['<tbody>', '</tbody>', '<thead hidden>', '</thead>', '<col span=2 hidden>', '<colgroup>', '<svg>'],
  ...['<p>', '</p>', '<br>', '</br>', '<div style="display:none">', '</div>', '<span hidden>', '</span>'],
  ...['<script>', '</script>', '<title>', '<select>', '<textarea>', '<!--', '-->', '<![if x]>', '<!', '<?'],
  ...['<style>.a{mso-number-format:"0\\0022"}', '</style>', '<td x:num="1e999">', '<td x:num=5 class=a>'],
  ...['<td x:bool>', '<td x:err>', '<td sdval="" sdnum=";;">', 'text', '&nbsp;', '&amp;', '&#0;', '&#', 'é'],
  ...['<', '>', '"', "'", '</', '\n', ' '],
];

function rowsOf(pieces: readonly string[]): unknown {
  const reader = new TableReader(new PageStyles(defaultLimits), () => true, defaultLimits);
  try {
    for (const piece of pieces) reader.write(piece);
    reader.endPage();
  } catch (error) {
    if (error instanceof InputError) return error.code;
    throw error;
  }
  return reader
    .take()
    .map(({ sheet, row }) => [sheet.index, row.number, row.cells, [...(row.kinds ?? [])], row.isHidden]);
}

it.each([1, 2, 3])(
  'any page is read or refused, and alike wherever it is cut into pieces (seed %i)',
  (seed) => {
    const random = seededRandom(seed);
    const below = (count: number) => Math.floor(random() * count);
    let read = 0;
    for (let round = 0; round < 700; round += 1) {
      const body = Array.from({ length: below(100) }, () => parts[below(parts.length)]).join('');
      const page = `<table>${body}</script></style></title></textarea>-->${'</table>'.repeat(below(4))}`;
      const cuts = [below(page.length), below(page.length)].sort((left, right) => left - right);
      const [first = 0, second = 0] = cuts;
      const whole = rowsOf([page]);
      expect(rowsOf([page.slice(0, first), page.slice(first, second), page.slice(second)])).toEqual(whole);
      if (Array.isArray(whole) && whole.length > 0) read += 1;
    }
    expect(read).toBeGreaterThan(100);
  },
);
