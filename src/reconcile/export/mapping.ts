import * as z from 'zod';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';

/** What a column of an export can be, beside a field to compare. */
export const exportRoles = [
  'id',
  'reference',
  'amount',
  'credit',
  'debit',
  'currency',
  'date',
  'group',
  'entry',
  'account',
  'text',
] as const;

/** What every record of an export may have in common, and what a natural key may be made of beside fields. */
const constantRoles = ['id', 'reference', 'amount', 'currency', 'date', 'group'] as const;

export type ExportRole = (typeof exportRoles)[number];

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
  dateFormat: z
    .string()
    .regex(/^(?=.*YYYY)(?=.*MM)(?=.*DD)[YMD./ -]{8,12}$/, 'must be made of YYYY, MM and DD, as in DD/MM/YYYY')
    .optional(),
  decimal: z.enum(['.', ',']).optional(),
  thousands: z.enum(['', ',', '.', ' ', "'"]).optional(),
});

const mappingSchema = mappingShape.refine(({ decimal = '.', thousands }) => thousands !== decimal, {
  path: ['thousands'],
  message: 'the separator of thousands cannot be that of decimals too',
});

/** What a mapping says that every record of an export has. */
export function constantsOf({ constants = {} }: ExportMapping): ReadonlyMap<ExportRole, string> {
  const names = Object.keys(constants) as (keyof typeof constants)[];
  return new Map(names.flatMap((name) => (constants[name] === undefined ? [] : [[name, constants[name]]])));
}

/** How to read an export of the other side. It is a mapping of its own, apart from an import's. */
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
 * The mappings of two files: one for both, or `left` and `right` apart. `ourGroup` is about the records on the
 * left, which are ours.
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

function refusedMapping(path: string, problem: string): PaybatchError {
  return new PaybatchError(
    'mapping_invalid',
    `The mapping ${path} ${problem}.`,
    'docs/reconciling.md describes it',
  );
}

function parseWith<Shape>(schema: z.ZodType<Shape>, text: string, path: string): Shape {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refusedMapping(path, 'is not JSON');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(' > ') ?? '';
  const where = place === '' ? '' : ` at "${place}"`;
  throw refusedMapping(path, `is not valid${where}: ${issue?.message ?? 'unknown problem'}`);
}
