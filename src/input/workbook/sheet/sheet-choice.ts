import { InputError } from '../../file/input-error.ts';

const NAMES_SHOWN = 10;

/**
 * The sheets to read: the one that is asked for by name, in any case, or all of them.
 *
 * @throws InputError when there is no sheet of that name
 */
export function chooseSheets<Sheet extends { readonly name: string }>(
  sheets: readonly Sheet[],
  asked: string | undefined,
): readonly Sheet[] {
  if (asked === undefined) return sheets;
  const wanted = asked.trim().toLowerCase();
  const chosen = sheets.filter((sheet) => sheet.name.trim().toLowerCase() === wanted);
  if (chosen.length > 0) return chosen;
  const names = sheets.slice(0, NAMES_SHOWN).map((sheet) => `"${sheet.name}"`);
  throw new InputError(
    'sheet_not_found',
    'There is no sheet of that name in the workbook.',
    `Its sheets are: ${names.join(', ')}${sheets.length > NAMES_SHOWN ? ' and more' : ''}.`,
  );
}
