import { z } from 'zod';
import type { Kind } from '../../domain/batches/kind.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { fieldForHeader, kindNamed, normaliseHeader } from '../../resources/registry.ts';

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
  'text',
] as const;

/** What every record of an export may have in common, and what a natural key may be made of beside fields. */
export const constantRoles = ['id', 'reference', 'amount', 'currency', 'date', 'group'] as const;

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
  .describe('How paybatch reconcile reads an export of the other side (--mapping FILE).');

/** @throws Failure (exit 2) that names the first thing that is wrong */
export function parseExportMapping(text: string, path: string): ExportMapping {
  return parseWith(mappingSchema, text, path);
}

/**
 * The mappings of two files: one for both, or `left` and `right` apart. `ourGroup` is about the records on the
 * left, which are ours.
 * @throws Failure (exit 2)
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

function refusedMapping(path: string, problem: string): Failure {
  return new Failure(
    exitCodes.usage,
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

/** Where a table's values stand, by column index. */
export interface ExportColumns {
  readonly roles: ReadonlyMap<ExportRole, number>;
  /** Fields that are compared, or that are part of a natural key. */
  readonly fields: ReadonlyMap<string, number>;
  /** Columns that say whether a record counts. */
  readonly conditions: readonly RecordCondition[];
  /** Columns that say which way the money went. */
  readonly signs: readonly SignColumn[];
  /** Columns of free text, in which our reference may stand. */
  readonly texts: readonly number[];
}

/** A column whose value says whether an amount counts for or against. */
export interface SignColumn {
  readonly index: number;
  /** By value, as `foldedValue` gives it. */
  readonly signs: ReadonlyMap<string, 1 | -1>;
}

/** A column whose value says whether a record counts. */
export interface RecordCondition {
  readonly title: string;
  readonly index: number;
  /** The values of records that count, as `foldedValue` gives them. */
  readonly counting: ReadonlySet<string>;
}

/** A status as it is compared: exports write it in any case. */
export function foldedValue(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

const aliases: Readonly<Record<string, ExportRole>> = {
  id: 'id',
  transactionid: 'id',
  objectid: 'id',
  resultid: 'id',
  reference: 'reference',
  clientreference: 'reference',
  externalid: 'reference',
  amount: 'amount',
  currency: 'currency',
  date: 'date',
  datecreated: 'date',
  createdat: 'date',
};

/** What is known of a statement by its header. */
interface KnownStatement {
  /** Titles that no other export has together. */
  readonly titles: readonly string[];
  readonly aliases: Readonly<Record<string, ExportRole>>;
  /** Which records count, where the mapping says nothing: what is pending or failed moved no money. */
  readonly include: Readonly<Record<string, string[]>>;
}

const knownStatements: readonly KnownStatement[] = [
  {
    titles: ['entry', 'reversal', 'status', 'text'],
    aliases: { entry: 'entry', text: 'text' },
    include: { Status: ['BOOK'] },
  },
  {
    // What M-PESA's portal for organisations exports.
    titles: ['receiptno.', 'completiontime', 'transactionstatus'],
    aliases: {
      ...{ 'receiptno.': 'entry', completiontime: 'date', details: 'text', 'a/cno.': 'text' },
      ...{ paidin: 'credit', withdrawn: 'debit' },
    },
    include: { 'Transaction Status': ['Completed'] },
  },
];

function knownStatement(header: readonly string[]): KnownStatement | undefined {
  const names = new Set(header.map(normaliseHeader));
  return knownStatements.find(({ titles }) => titles.every((title) => names.has(title)));
}

/** A mapping together with what is known of a statement by its header. */
export function completedMapping(header: readonly string[], mapping: ExportMapping): ExportMapping {
  const known = mapping.include === undefined ? knownStatement(header) : undefined;
  return known === undefined ? mapping : { ...mapping, include: { ...known.include } };
}

function isRole(text: string): text is ExportRole {
  return (exportRoles as readonly string[]).includes(text);
}

/**
 * What the columns of an export are: as its mapping says, else by their names. Columns that nobody knows are
 * passed over, since exports have many.
 * @param kind what the batch holds; null where two files are compared without a ledger
 */
export function readColumns(
  header: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
): ExportColumns {
  const names = { ...aliases, ...knownStatement(header)?.aliases };
  const mapped = new Map(
    Object.entries(mapping.columns ?? {}).map(([title, meaning]) => [normaliseHeader(title), meaning]),
  );
  // A status or a type that decides whether a record counts is no field of the object, whatever it is called.
  const deciding = new Set(
    [mapping.include, mapping.sign].flatMap((each) => Object.keys(each ?? {}).map(normaliseHeader)),
  );
  const roles = new Map<ExportRole, number>();
  const fields = new Map<string, number>();
  const texts: number[] = [];
  header.forEach((title, index) => {
    const name = normaliseHeader(title);
    const known = kind === null ? undefined : fieldForHeader(kind, title);
    const byName = (mapping.columns === undefined ? names[name] : undefined) ?? known;
    const said = mapped.get(name) ?? (deciding.has(name) ? undefined : byName);
    if (said === undefined) return;
    const meaning = kind !== null && said === kindNamed(kind).referenceField ? 'reference' : said;
    if (meaning === 'text') texts.push(index);
    else if (isRole(meaning)) {
      if (!roles.has(meaning)) roles.set(meaning, index);
    } else if (!fields.has(meaning)) fields.set(meaning, index);
  });
  return { roles, fields, conditions: conditionsOf(header, mapping), signs: signsOf(header, mapping), texts };
}

function signsOf(header: readonly string[], { sign = {} }: ExportMapping): SignColumn[] {
  const names = header.map(normaliseHeader);
  return Object.entries(sign).flatMap(([title, values]) => {
    const index = names.indexOf(normaliseHeader(title));
    const signs = new Map(Object.entries(values).map(([value, way]) => [foldedValue(value), way]));
    return index === -1 ? [] : [{ index, signs }];
  });
}

function conditionsOf(header: readonly string[], { include = {} }: ExportMapping): RecordCondition[] {
  const names = header.map(normaliseHeader);
  return Object.entries(include).flatMap(([title, values]) => {
    const index = names.indexOf(normaliseHeader(title));
    return index === -1 ? [] : [{ title, index, counting: new Set(values.map(foldedValue)) }];
  });
}

/** Whether a row of cells may be the header of an export: at least one column tells a record. */
export function looksLikeExportHeader(
  cells: readonly string[],
  mapping: ExportMapping,
  kind: Kind | null,
): boolean {
  const { roles, fields } = readColumns(cells, mapping, kind);
  return roles.has('id') || roles.has('reference') || roles.size + fields.size >= 2;
}
