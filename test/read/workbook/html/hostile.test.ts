import { afterEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../src/read/file/input-error.ts';
import type { HostileFile } from '../../hostile-files.ts';
import { outcomeOf, readTable, refusalOf, removeTemporaryFiles, seededRandom } from '../../reading.ts';

afterEach(removeTemporaryFiles);

const rows = '<tr><td>a</td></tr><tr><td>1</td></tr>';
const table = `<table>${rows}</table>`;
const html = (body: string) => `<html><body>${body}</body></html>`;
const MESSAGE = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n';
const PART = 'Content-Type: text/html\r\n';

const hostilePages: readonly HostileFile<string>[] = [
  ['a page without a table', html('<h1>Your session has expired</h1>'), 'markup_file'],
  ['a page whose tables are empty', html('<table><tr><td>&nbsp;</td></tr></table>'), 'empty_file'],
  ['a table that never ends', `<table>${rows}<tr><td>2</td>`, 'file_may_be_cut'],
  ['a tag that never ends', `<table>${rows}<tr><td cl`, 'file_may_be_cut'],
  ['a comment that never ends', `<table>${rows}<!-- ${table}`, 'file_may_be_cut'],
  ['a script that never ends', `<table>${rows}<script>${table}`, 'file_may_be_cut'],
  ['a million nested tables', html('<table><tr><td>'.repeat(1_000_000)), 'file_damaged'],
  ['a million elements that are never closed', html(`${'<b>'.repeat(1_000_000)}${table}`), 'file_damaged'],
  ['more tables than sheets', html(table.repeat(1001)), 'file_damaged'],
  ['an endless text', `<table>${rows}<tr><td>${'x'.repeat(70_000)}</table>`, 'limit_exceeded'],
  [
    'an endless text behind a cell',
    `<table>${rows}<tr><td x:str="${'x'.repeat(70_000)}"></table>`,
    'limit_exceeded',
  ],
  ['endless breaks of lines', `<table>${rows}<tr><td>x${'<br>'.repeat(70_000)}y</table>`, 'limit_exceeded'],
  ['an endless comment', `<table>${rows}<!-- ${'x'.repeat(3_000_000)} --></table>`, 'limit_exceeded'],
  ['an endless attribute', `<table><tr><td x="${'x'.repeat(3_000_000)}">a</table>`, 'limit_exceeded'],
  ['an endless name', `<table><${'x'.repeat(3_000_000)}>`, 'limit_exceeded'],
  [
    'endless styles',
    `<table>${rows}</table>${`<style>${'.a{display:none}'.repeat(40_000)}</style>`.repeat(3)}`,
    'limit_exceeded',
  ],
  ['a value beyond the last column', `<table>${rows}<tr>${'<td>'.repeat(2000)}x</table>`, 'limit_exceeded'],
  [
    'a value behind wide cells',
    `<table>${rows}<tr>${'<td colspan=1000>'.repeat(9)}x</table>`,
    'limit_exceeded',
  ],
  [
    'cells that cover all columns of all rows',
    `<table>${'<tr><td rowspan=65534 colspan=1000>'.repeat(9)}</td></tr>${rows}</table>`,
    'limit_exceeded',
  ],
  ['another XML file', '<?xml version="1.0"?><Workbook/>', 'markup_file'],
  ['XML with entities', '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', 'markup_file'],
  ['an archive without its end', `${MESSAGE}--b\r\n${PART}\r\n${table}\r\n`, 'file_may_be_cut'],
  [
    'an archive without a page',
    `${MESSAGE}--b\r\nContent-Type: text/plain\r\n\r\n${table}\r\n--b--\r\n`,
    'markup_file',
  ],
  [
    'an archive with a line of blanks',
    `${MESSAGE}--b\r\n${PART}Content-Transfer-Encoding: quoted-printable\r\n\r\n${' '.repeat(1_000_000)}x\r\n--b--\r\n`,
    'markup_file',
  ],
  [
    'an archive in an unknown encoding',
    `${MESSAGE}--b\r\n${PART}Content-Transfer-Encoding: rot13\r\n\r\n${table}\r\n--b--\r\n`,
    'file_damaged',
  ],
  [
    'an archive that is no base64',
    `${MESSAGE}--b\r\n${PART}Content-Transfer-Encoding: base64\r\n\r\n${table}\r\n--b--\r\n`,
    'file_damaged',
  ],
  ['an archive of endless headers', `${MESSAGE}--b\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`, 'file_damaged'],
  ['an archive of too many parts', `${MESSAGE}${`--b\r\n${PART}\r\n`.repeat(2100)}--b--\r\n`, 'file_damaged'],
  [
    'an archive of one endless line',
    `${MESSAGE}--b\r\n${PART}\r\n${'x'.repeat(2_000_000)}`,
    'limit_exceeded',
  ],
  [
    'archives within archives',
    `${MESSAGE}${Array.from({ length: 40 }, (_, at) => `--${at === 0 ? 'b' : `c${at - 1}`}\r\nContent-Type: multipart/mixed; boundary=c${at}\r\n\r\n`).join('')}`,
    'file_damaged',
  ],
];

describe('a web page that means harm or is broken', () => {
  it.each(hostilePages)('%s: refused with a code', async (_, content, code) => {
    expect((await refusalOf(content)).code).toBe(code);
  });

  it.each([
    [
      'numbers of rows that are none',
      `<table><tr><td rowspan=-1 colspan=x>a</td></tr><tr><td rowspan=0>1</td></tr></table>`,
    ],
    ['entities that are none', `<table>${rows}<tr><td>&bomb; &#99999999; &#0;</td></tr></table>`],
    ['ends of what never began', `</td></tr></table></p></html>${html(table)}</table>`],
    [
      'names of objects',
      `<table constructor="x">${rows}<tr class="__proto__"><td __proto__="1" class="constructor">x</td></tr></table>`,
    ],
    ['a script', `<script>throw new Error("run")</script><table onload="x()">${rows}</table>`],
    [
      'what would be fetched',
      `<img src="http://127.0.0.1:1/x"><link href="http://127.0.0.1:1/x.css">${table}`,
    ],
    [
      'a style that begins comments without end',
      `<style>.a{color:red}${'/*'.repeat(400_000)}</style>${table}`,
    ],
    ['a selector of blanks', `<style>${' '.repeat(900_000)}!{display:none}</style>${table}`],
    [
      'a format of brackets',
      `<style>.a{mso-number-format:"${'['.repeat(900_000)}"}</style><table><tr class=a><td class=a x:num=1>1</table>${table}`,
    ],
    ['sheets that are listed without end', `<!--${'<x:ExcelWorksheet>'.repeat(50_000)}-->${table}`],
    ['a number without end', `<table>${rows}<tr><td x:num="${'1'.repeat(60_000)}x">2</table>`],
    [
      'hidden cells over all columns',
      `<table>${rows}${'<tr><td hidden colspan=1000>'.repeat(20_000)}</table>`,
    ],
    ['styles that never end', `<style>.a{mso-number-format:"x</style>${table}`],
  ])('%s: read, and nothing more', async (_, content) => {
    const outcome = await outcomeOf(Buffer.from(html(content)));
    expect(JSON.stringify(outcome)).toContain('"1"');
  });

  it('has a value in the last column and in none behind it', async () => {
    const cells = `${'<td>'.repeat(defaultLimits.columns)}x`;
    const { cells: read } = await readTable(`<table>${rows}<tr>${cells}</table>`);
    expect(read[1]?.length).toBe(defaultLimits.columns);
  });

  it('is read or refused whatever byte is changed, cut off or repeated', async () => {
    const original = Buffer.from(
      `${MESSAGE}--b\r\n${PART}Content-Transfer-Encoding: quoted-printable\r\n\r\n<html><head><style>.a{mso-number-format:"00000"}</style></head><body><table><col span=3D2><tr><th colspan=3D2>a</th></tr><tr><td class=3Da x:num=3D"7">7</td><td>Zo=C3=AB</td></tr><tr style=3D"display:none"><td rowspan=3D2>x</td></tr></table></body></html>\r\n--b--\r\n`,
    );
    const page = original.subarray(original.indexOf('<html>'), original.indexOf('\r\n--b--'));
    const random = seededRandom(21);
    const place = (length: number) => Math.floor(random() * length);
    for (const content of [original, page]) {
      let read = 0;
      let refused = 0;
      for (let round = 0; round < 300; round += 1) {
        const changed = Buffer.from(content);
        const at = place(content.length);
        changed[at] = (changed[at] ?? 0) ^ (1 << place(8));
        const from = place(content.length);
        const copies = [
          changed,
          content.subarray(0, at),
          Buffer.concat([content.subarray(0, at), content.subarray(Math.min(at, from))]),
        ];
        const outcome = await outcomeOf(copies[round % 3] ?? changed);
        if (outcome === null) refused += 1;
        else read += 1;
      }
      expect(Math.min(read, refused)).toBeGreaterThan(20);
    }
  });
});
