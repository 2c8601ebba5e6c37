import { set_cptable } from '@e965/xlsx';
import iconv from 'iconv-lite';
import { InputError } from '../../file/input-error.ts';

const BEGIN = 0x0809;
/** The version of Excel 97, from which on texts are Unicode. */
const UNICODE_VERSION = 0x0600;
/** Stands for the code page of a workbook that does not say which it has; no code page has so high a number. */
export const NO_CODE_PAGE = 0x10000;

/** Code pages that iconv-lite knows by another name than `cp` and the number. */
const NAMES: Readonly<Record<number, string>> = {
  10000: 'macroman',
  10006: 'macgreek',
  10007: 'maccyrillic',
  10010: 'macromania',
  10017: 'macukraine',
  10021: 'macthai',
  10029: 'maccenteuro',
  10079: 'maciceland',
  10081: 'macturkish',
  10082: 'maccroatian',
};

/** @returns whether an `.xls` file's workbook is older than Excel 97: a text in it is bytes of a code page */
export function hasCodePage(workbook: Buffer): boolean {
  return (
    workbook.length >= 6 && workbook.readUInt16LE(0) === BEGIN && workbook.readUInt16LE(4) < UNICODE_VERSION
  );
}

function unknownCodePage(codePage: number): InputError {
  const message =
    codePage === NO_CODE_PAGE
      ? 'This workbook of Excel 95 or older does not say in which code page its texts are.'
      : `This workbook of Excel 95 or older has its texts in code page ${codePage}, which is not known here.`;
  return new InputError(
    'unknown_code_page',
    message,
    'Open it in a spreadsheet program, look whether the names are right, and save it as .xlsx.',
  );
}

/** Nearly every code page has ASCII in its lower half; UTF-16, whose every second byte is NUL, has not. */
function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte > 0 && byte < 0x80);
}

/** @throws InputError when there are letters beyond ASCII, and nobody knows which */
function decode(codePage: number, data: ArrayLike<number>): string {
  const bytes = Buffer.from(data);
  if (isAscii(bytes)) return bytes.toString('latin1');
  const name = NAMES[codePage] ?? `cp${codePage}`;
  if (codePage === NO_CODE_PAGE || !iconv.encodingExists(name)) throw unknownCodePage(codePage);
  return iconv.decode(bytes, name);
}

/** Without it, the library takes every byte for the character of that number, whatever the code page. */
export function loadCodePages(): void {
  set_cptable({ utils: { decode } });
}
