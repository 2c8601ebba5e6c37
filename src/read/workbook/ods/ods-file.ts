import { Archive } from '../../file/archive.ts';
import { damagedFile, type InputLimits } from '../../file/input-error.ts';
import { assertUnchanged, type ByteSource, contentHashOf } from '../../file/source.ts';
import { XmlReader } from '../../file/xml.ts';
import type { InputFile, InputOptions } from '../../rows/input-table.ts';
import { listSheets, openSheets, type ReadSheets, streamedTable } from '../sheet/sheets.ts';
import { OdsStyles, readCommonStyles } from './cell.ts';
import { ContentReader, type OdsSheet } from './content.ts';

const CONTENT = 'content.xml';
const STYLES = 'styles.xml';

/**
 * Opens an `.ods` workbook. All of its sheets are in one part, which is read once to its end here, and again for the
 * rows of each sheet.
 *
 * @throws InputError when it is damaged, beyond a limit, or is empty
 */
export async function openOds(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<Pick<InputFile, 'tables' | 'contentHash'>> {
  const contentHash = await contentHashOf(source);
  // All of the content is read, since its checksum is checked at its end.
  const read: ReadSheets<OdsSheet> = async function* (wants, share) {
    const archive = await Archive.open(source.file, limits);
    try {
      const styles = new OdsStyles();
      if (archive.has(STYLES)) await readCommonStyles(archive.read(STYLES), styles, limits);
      const reader = new ContentReader(styles, wants, limits);
      share?.begin(archive.sizeOf(CONTENT));
      const xml = new XmlReader(reader, limits);
      for await (const chunk of archive.read(CONTENT)) {
        xml.write(chunk);
        yield { rows: reader.take(), sheets: reader.sheets };
        share?.pass(chunk.length);
      }
      xml.end();
      if (reader.sheets.length === 0) throw damagedFile('there is no sheet in it');
      yield { rows: reader.take(), sheets: reader.sheets };
    } finally {
      archive.close();
    }
    if (share !== undefined) assertUnchanged(contentHash, await contentHashOf(source));
  };
  const listed = await listSheets(read, options.isHeader, limits);
  const sheets = listed.map(({ sheet, finder }) => ({ ...sheet, finder }));
  const open = async (sheet: (typeof sheets)[number]) => streamedTable(read, sheet, sheet, limits);
  return { tables: await openSheets(sheets, options.sheet, open), contentHash };
}
