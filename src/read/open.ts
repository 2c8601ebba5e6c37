import { openCsv } from './csv/csv-file.ts';
import { defaultLimits, type InputLimits } from './file/input-error.ts';
import { signatureOf } from './file/signature.ts';
import { type ByteSource, openFile, spool } from './file/source.ts';
import type { InputFile, InputOptions } from './table/opened-table.ts';
import type { OpenedContent } from './workbook/workbook-file.ts';

async function openContent(
  source: ByteSource,
  options: InputOptions,
  limits: InputLimits,
): Promise<OpenedContent> {
  const signature = signatureOf(source.start);
  switch (signature) {
    // Loaded only for workbooks, which need parsers that no other format needs.
    case 'zip':
      return (await import('./workbook/workbook-file.ts')).openZipped(source, options, limits);
    case 'compound':
      return (await import('./workbook/workbook-file.ts')).openCompound(source, options, limits);
    case 'html':
    case 'mht': {
      // Loaded only for web pages, which need a parser that no other format needs.
      const { openPages } = await import('./workbook/html/html-file.ts');
      return {
        format: signature,
        ...(await openPages(source, signature, options, limits)),
        remove: async () => {},
      };
    }
    case 'text': {
      const { table, ...found } = await openCsv(source, options, limits);
      return { format: 'csv', ...found, tables: [table], remove: async () => {} };
    }
  }
}

/** Whether the file is a text, which may be in one encoding or another. */
function isText({ format }: Pick<OpenedContent, 'format'>): boolean {
  return format === 'csv' || format === 'html' || format === 'mht';
}

/**
 * Opens a file of rows, whatever its name: CSV in any dialect (compressed with gzip or not), a workbook, or a web page
 * with tables. This reads it to the end; each call of a table's `rows()` reads it again.
 *
 * @param path - a file's path, or `-` for standard input
 * @throws InputError when the file is refused as a whole
 */
export async function openInput(path: string, options: InputOptions = {}): Promise<InputFile> {
  const limits = { ...defaultLimits, ...options.limits };
  const source =
    path === '-' ? await spool(options.stdin ?? process.stdin, limits) : await openFile(path, limits);
  try {
    const { remove, ...content } = await openContent(source, options, limits);
    const file: InputFile = {
      path,
      name: source.name,
      bytes: source.bytes,
      ...content,
      inDialect: async (dialect) => {
        const { chosenEncoding: encoding = options.encoding } = content;
        const own = { ...options, ...(encoding === undefined ? {} : { encoding }), ...dialect };
        return isText(content) ? { ...file, tables: (await openContent(source, own, limits)).tables } : file;
      },
      close: async () => {
        await remove();
        await source.remove();
      },
    };
    return file;
  } catch (error) {
    await source.remove();
    throw error;
  }
}
