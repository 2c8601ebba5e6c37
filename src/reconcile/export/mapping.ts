/* How an export of the other side is read, and columns of a mapping that an export lacks. */

import * as z from 'zod';
import type { Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { parsedJson } from '../../domain/sending/answer.ts';
import { openPointsSchema, openPointsText } from '../../domain/tables/mapping.ts';
import { createNameSearch } from '../../domain/text/characters.ts';
import { type ExportRole, exportRoles } from '../../kinds/export-roles.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { columnsOf, normaliseHeader } from '../../kinds/registry.ts';

/** Roles that may be constant for an export, and that a natural key may use besides fields. */
const constantRoles = ['id', 'reference', 'amount', 'currency', 'date', 'group'] as const;

const mappingShape = z.strictObject({
  $schema: z.string().optional(),
  columns: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe(`The export's column to ${exportRoles.join(', ')}, or a field to compare`),
  constants: z
    .partialRecord(z.enum(constantRoles), z.string().min(1))
    .optional()
    .describe('A value of every record: the currency'),
  include: z
    .record(z.string().min(1), z.array(z.string()).min(1))
    .optional()
    .describe("The export's column to the values of the records that count; the others are left out"),
  sign: z
    .record(z.string().min(1), z.record(z.string(), z.union([z.literal(1), z.literal(-1)])))
    .optional()
    .describe(
      "The export's column to the values that say which way the money went: -1 for a refund that is written without a sign",
    ),
  values: z
    .record(z.string().min(1), z.record(z.string(), z.string().min(1)))
    .optional()
    .describe("What a column is to translations: the export's value, exactly, to the value meant"),
  naturalKey: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Compared fields that together tell a record, where it has neither id nor reference'),
  ourGroup: z.string().optional().describe('The field of our own rows by which several are one record there'),
  compare: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('What is compared, as roles and fields; everything that both sides have when absent'),
  dateFormat: z
    .string()
    .regex(
      /^(?=.*(?:YYYY|(?<!Y)YY(?!Y)))(?=.*MM)(?=.*DD)[YMD./ -]{8,12}$/,
      'must be made of YYYY (or YY), MM and DD, as in DD/MM/YYYY',
    )
    .optional(),
  decimal: z.enum(['.', ',']).optional(),
  thousands: z.enum(['', ',', '.', ' ', "'"]).optional(),
  currencySigns: z
    .enum(['refuse', 'accept'])
    .optional()
    .describe('Whether amounts may have a sign or code of their currency before or behind them'),
  minorUnits: z
    .boolean()
    .optional()
    .describe('Whether amounts are whole numbers of the smallest unit of their currency: 1250 for 12.50'),
  open: openPointsSchema.optional(),
});

const mappingSchema = mappingShape.refine(({ decimal = '.', thousands }) => thousands !== decimal, {
  path: ['thousands'],
  message: 'the separator of thousands cannot be that of decimals too',
});

/** The constants of an export's mapping. */
export function constantsOf({ constants = {} }: ExportMapping): ReadonlyMap<ExportRole, string> {
  const names = Object.keys(constants) as (keyof typeof constants)[];
  return new Map(names.flatMap((name) => (constants[name] === undefined ? [] : [[name, constants[name]]])));
}

/** How to read an export of the other side. It is separate from an import's mapping. */
export type ExportMapping = z.infer<typeof mappingSchema>;

const twoSidesSchema = z.strictObject({
  $schema: z.string().optional(),
  left: mappingSchema,
  right: mappingSchema,
});

/** Every form of the file: one mapping, or one for each of two files that are compared without a ledger. */
export const exportMappingFileSchema = z
  .union([mappingSchema, twoSidesSchema])
  .describe('How a reconciliation reads an export of the other side (the setting mapping).');

/** @throws PaybatchError (`usage`) that names the first thing that is wrong */
export function parseExportMapping(text: string, path: string): ExportMapping {
  return parseWith(mappingSchema, text, path);
}

/**
 * The mappings of two files: one for both, or `left` and `right` apart. `ourGroup` is for the records on the left,
 * which are paybatch's own.
 * @throws PaybatchError (`usage`)
 */
export function parseTwoMappings(text: string, path: string): { left: ExportMapping; right: ExportMapping } {
  const isTwofold = /"(left|right)"\s*:\s*\{/.test(text);
  if (isTwofold) {
    const sides = parseWith(twoSidesSchema, text, path);
    if (sides.right.ourGroup !== undefined) {
      throw refusedMapping(path, 'says "ourGroup" of the right side; our records are those on the left');
    }
    return sides;
  }
  const both = parseWith(mappingSchema, text, path);
  const { ourGroup: _, ...right } = both;
  return { left: both, right };
}

/**
 * Refuses a stated mapping with points that no person has confirmed, since a comparison would take them for certain.
 * @throws PaybatchError (`file_refused`)
 */
export function requireConfirmed(mapping: ExportMapping, path: string): void {
  const { open = [] } = mapping;
  if (open.length === 0) return;
  throw new PaybatchError(
    'mapping_open',
    `The mapping ${path}: no person has confirmed how the export is read. Open: ${openPointsText(open)}.`,
    ['answer the questions about the export in the dialogue', 'read the mapping, and delete "open" from it'],
  );
}

function refusedMapping(path: string, problem: string): PaybatchError {
  return new PaybatchError(
    'mapping_invalid',
    `The mapping ${path} ${problem}.`,
    'docs/reconciling.md describes it',
  );
}

function parseWith<Shape>(schema: z.ZodType<Shape>, text: string, path: string): Shape {
  const json = parsedJson(text.replace(/^\uFEFF/, ''));
  if (json === undefined) throw refusedMapping(path, 'is not JSON');
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(' > ') ?? '';
  const where = place === '' ? '' : ` at "${place}"`;
  throw refusedMapping(path, `is not valid${where}: ${issue?.message ?? 'unknown problem'}`);
}

/** The similarity from which a name counts as a misspelling of another. */
const leastSimilarity = 0.5;

/**
 * Refuses a mapping with a missing column or an unknown field, which would otherwise be ignored silently and not
 * compared.
 * @param tables the tables of one side, by their names
 * @param kind the batch's kind; null where two files are compared without a ledger, and any field may be named
 * @throws PaybatchError (`usage`) for an unknown field; (`file_refused`) for a column that the files do not have
 */
export function requireUsedMapping(
  mapping: ExportMapping,
  tables: readonly { readonly name: string; readonly header: readonly string[] }[],
  kind: Kind | null,
): void {
  if (kind !== null) requireKnownFields(mapping, kind);
  for (const [title, meaning] of Object.entries(mapping.columns ?? {})) {
    if (tables.some(({ header }) => hasColumn(header, title))) continue;
    throw missingColumn(
      `The mapping reads ${shorten(title)} as ${meaning}, but no export has`,
      title,
      tables,
    );
  }
  requireColumns(Object.keys(mapping.include ?? {}), 'include', 'which %s counts', tables);
  requireColumns(Object.keys(mapping.sign ?? {}), 'sign', 'by %s which way the money went', tables);
}

/** Columns that decide about every record have to be in every export. */
function requireColumns(
  titles: readonly string[],
  section: string,
  says: string,
  tables: readonly { readonly name: string; readonly header: readonly string[] }[],
): void {
  for (const title of titles) {
    const lacking = tables.find(({ header }) => !hasColumn(header, title));
    if (lacking === undefined) continue;
    const meaning = says.replace('%s', shorten(title));
    const claim = `The mapping's "${section}" says ${meaning}, but ${lacking.name} does not have`;
    throw missingColumn(claim, title, [lacking]);
  }
}

function hasColumn(header: readonly string[], title: string): boolean {
  return header.some((other) => normaliseHeader(other) === normaliseHeader(title));
}

function missingColumn(
  claim: string,
  title: string,
  tables: readonly { readonly header: readonly string[] }[],
): PaybatchError {
  const titles = [...new Set(tables.flatMap(({ header }) => header))].filter((other) => other !== '');
  const [nearest] = createNameSearch(titles)(title, 1, leastSimilarity);
  const hint = nearest === undefined ? '' : ` The nearest is ${shorten(nearest)}.`;
  return new PaybatchError(
    'export_column_missing',
    `${claim} such a column.${hint}`,
    'correct the name in the mapping, or take it out',
  );
}

/** The uses of columns, and the parts of natural keys and groups, have to be fields or roles that a row can have. */
function requireKnownFields(mapping: ExportMapping, kind: Kind): void {
  const known = new Set<string>([...exportRoles, ...columnsOf(kind)]);
  const named: readonly (readonly [string, readonly string[]])[] = [
    ['columns', Object.values(mapping.columns ?? {})],
    ['values', Object.keys(mapping.values ?? {})],
    ['naturalKey', mapping.naturalKey ?? []],
    ['compare', mapping.compare ?? []],
    ['ourGroup', mapping.ourGroup === undefined ? [] : [mapping.ourGroup]],
  ];
  for (const [section, names] of named) {
    const unknown = names.find((name) => !known.has(name));
    if (unknown === undefined) continue;
    const [nearest] = createNameSearch([...known])(unknown, 1, leastSimilarity);
    throw new PaybatchError(
      'mapping_invalid',
      `The mapping names ${shorten(unknown)} under "${section}", which ${kind} do not have.` +
        (nearest === undefined ? '' : ` The nearest is ${nearest}.`),
      `one of ${exportRoles.join(', ')}, or a column of the ${kind} (docs/reconciling.md)`,
    );
  }
}
