import { InputError } from './input-error.ts';

/** What a file's first bytes say it is; its name is never asked. */
type Signature = 'zip' | 'compound' | 'text';

const MARKUP = /^\s*<(?:!doctype|html|head|body|table|meta|style|div|\?xml|[a-z]+:?workbook)\b/i;

const SAVE_AGAIN = 'Open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8.';

/** @param start - the file's first bytes */
export function signatureOf(start: Buffer): Signature {
  if (start.length >= 4 && start.readUInt32BE(0) === 0x504b0304) return 'zip';
  if (start.length >= 4 && start.readUInt32BE(0) === 0x504b0506) return 'zip';
  if (start.length >= 8 && start.readBigUInt64BE(0) === 0xd0cf11e0a1b11ae1n) return 'compound';
  return 'text';
}

/**
 * Refuses what begins as another kind of file does, and would make a strange table: a web page that calls
 * itself a workbook, a document, an archive inside an archive.
 *
 * @param start - the first bytes, unpacked
 */
export function assertText(start: Buffer): void {
  if (signatureOf(start) !== 'text') {
    throw new InputError(
      'nested_archive',
      'There is a workbook inside a compressed file.',
      'Unpack it first.',
    );
  }
  const letters = start
    .subarray(0, 1024)
    .toString('latin1')
    .replace(/^\u00EF\u00BB\u00BF/, '');
  if (MARKUP.test(letters)) {
    throw new InputError('markup_file', 'This is a web page or another XML file, not a table.', SAVE_AGAIN);
  }
  if (letters.startsWith('%PDF-') || letters.startsWith('{\\rtf')) {
    throw new InputError('document_file', 'This is a document, not a table.', SAVE_AGAIN);
  }
}
