/* How a mapping splits the cells of a column: into the parts of a name or an address, or into several values. */

import * as z from 'zod';
import {
  addressParts,
  fieldsOfWholeCells,
  ignoredPart,
  type MappedColumn,
  nameParts,
} from '../../domain/tables/mapping.ts';
import { columnsOf, kinds } from '../../kinds/registry.ts';

/** The fields of all kinds that may share a cell with others. */
const sharingFields = [...new Set(kinds.flatMap(columnsOf))].filter(
  (field) => !fieldsOfWholeCells.includes(field),
);

/** How a mapping file says that the cells of a column are split. */
export const splitSchema = z
  .strictObject({
    into: z
      .array(z.enum([...sharingFields, ignoredPart]))
      .min(2)
      .refine((parts) => {
        const fields = parts.filter((part) => part !== ignoredPart);
        return fields.length > 0 && new Set(fields).size === fields.length;
      }, 'names a part twice, or none'),
    order: z
      .enum(['first_last', 'last_first'])
      .optional()
      .describe(
        'For names: which part comes first; a comma, as in "Surname, First", decides by itself. Addresses have no order.',
      ),
    at: z
      .string()
      .regex(/^[^\p{L}\d]{1,5}$/u, 'must be one to five signs, without letters and digits')
      .optional()
      .describe('The sign between the values of a cell, such as " / ". Any white space counts as one blank.'),
    rest: z
      .enum(['first', 'last'])
      .optional()
      .describe('With at: the value that keeps the further signs of a cell; the last one by default.'),
    number: z
      .enum(sharingFields)
      .optional()
      .describe(
        'For a number and words beside it in any order: the one of the two fields that is the number.',
      ),
  })
  .superRefine(({ into, order, at, rest, number }, context) => {
    const issue = (place: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [place], message });
    if (rest !== undefined && at === undefined)
      issue('rest', 'is only for values with a sign between them, which "at" says');
    if (at !== undefined || number !== undefined) {
      if (order !== undefined) issue('order', 'is only for names, which have neither "at" nor "number"');
      if (number === undefined) return;
      if (at !== undefined) issue('number', 'is for cells without a sign, and "at" says one');
      if (into.length !== 2 || !into.includes(number)) issue('number', 'must be one of two fields in "into"');
      return;
    }
    const ofName = nameParts.filter((part) => into.includes(part));
    const ofAddress = addressParts.filter((part) => into.includes(part));
    if (ofName.length + ofAddress.length < into.length)
      issue(
        'into',
        'must be parts of a name or of an address, or "at" must say the sign between the values, or "number" which of them is the number',
      );
    if (ofName.length === 0 && order !== undefined) issue('order', 'is only for names');
    if (ofName.length === 0) return;
    if (ofAddress.length > 0) issue('into', 'has parts of a name and of an address');
    if (!into.includes('first_name') || !into.includes('last_name'))
      issue('into', 'must have first_name and last_name');
    if (order === undefined) issue('order', 'must be first_last or last_first for a name');
  })
  .describe(
    'Parts of a name, which together are the whole name; parts of an address that ends with the town, its state and its postal code, such as 1 Main Street, Austin, TX 78701; or any values with a sign between them (at), or a number and the words beside it (number).',
  );

/** How the cells of a column are split. */
export type Split = z.output<typeof splitSchema>;

/** The fields into which a column is split. */
export function fieldsOfSplit({ into }: Split): readonly string[] {
  return into.filter((part) => part !== ignoredPart);
}

/** The parts of a split, those of names and addresses in their usual order. */
export function partsOfSplit(own: Split): readonly NonNullable<MappedColumn['split']>[] {
  const { into, order, at, rest = 'last', number } = own;
  if (at !== undefined) return fieldsOfSplit(own).map((part) => ({ part, into, at, rest }));
  if (number !== undefined) return fieldsOfSplit(own).map((part) => ({ part, into, number }));
  const names = nameParts.filter((part) => into.includes(part));
  if (order !== undefined) return names.map((part) => ({ part, into: names, order }));
  const addresses = addressParts.filter((part) => into.includes(part));
  return addresses.map((part) => ({ part, into: addresses }));
}
