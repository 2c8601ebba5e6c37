/* The CSV text of result files. */

import { stringify } from 'csv-stringify/sync';
import { protectCell } from '../../domain/tables/table.ts';
import { showControls } from '../../domain/text/characters.ts';

export const byteOrderMark = '\uFEFF';

/** A value in single quotes would be read without them: in double quotes as well, they are its own. */
const inSingleQuotes = /^\s*'.*'\s*$/s;
/** What the stringifier puts into quotes. */
const needsQuotes = /[",\r\n]|^\s*'.*'\s*$/s;

/**
 * Records as spreadsheet programs want them: commas, CRLF, quotes where they are needed, and no cell that
 * could be taken for a formula. The stringifier's own `escape_formulas` is not used: it guards four
 * full-width characters as well, which reading does not take off again, and does not guard a cell that
 * looks guarded already. Records in which nothing is quoted, as in most files, are joined here, their phone numbers
 * guarded: a sixth of the stringifier's time. What comes from outside is shown without what a terminal would act on.
 */
export function csvText(records: readonly (readonly string[])[]): string {
  let text = '';
  let quoted: string[][] = [];
  for (const record of records) {
    const guarded = record.map(protectCell);
    if (guarded.some((cell) => needsQuotes.test(cell))) {
      quoted.push(guarded);
      continue;
    }
    if (quoted.length > 0) text += withQuotes(quoted);
    quoted = [];
    text += `${guarded.join(',')}\r\n`;
  }
  // Done once for all of them: no control character changes what is quoted.
  return showControls(quoted.length > 0 ? text + withQuotes(quoted) : text);
}

/** A call costs as much as several records, so consecutive records share one. */
function withQuotes(records: readonly (readonly string[])[]): string {
  return stringify([...records], {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_match: inSingleQuotes,
  });
}
