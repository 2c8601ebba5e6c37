import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import iconv from 'iconv-lite';
import { iso31662 } from 'iso-3166';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { NoticeWords } from '../../src/account/notice.ts';
import type { FieldWords } from '../../src/account/words/mapping-words.ts';
import type { RowWords } from '../../src/account/words/row-words.ts';
import type { StatusWords } from '../../src/account/words/wording.ts';
import type { CommandData } from '../../src/cli/definitions/commands.ts';
import { type SharedOptionName, sharedOptions } from '../../src/cli/options/options.ts';
import type { AuditWords } from '../../src/cli/views/controls.ts';
import type { RouteGroups } from '../../src/console/access/rights.ts';
import type { DialectChoices } from '../../src/console/pages/mapping-table.ts';
import type { PageWords } from '../../src/console/pages/page-words.ts';
import type { WorklistTexts } from '../../src/console/pages/worklist-table.ts';
import { openStatuses } from '../../src/domain/batches/open-rows.ts';
import { errorCodes } from '../../src/domain/failures/error-codes.ts';
import type { LedgerRole } from '../../src/domain/machine/checks.ts';
import { verdicts } from '../../src/domain/rows/ledger-row.ts';
import { differenceKinds, resultStatuses } from '../../src/domain/rows/row-state.ts';
import { allSettings } from '../../src/domain/settings/definitions.ts';
import { requestParts } from '../../src/domain/settings/message.ts';
import { machineSettingNames } from '../../src/domain/settings/setting.ts';
import { repairs } from '../../src/domain/tables/mapping.ts';
import type { AnswerField, FieldType } from '../../src/kinds/definition.ts';
import type { ColumnData, ColumnList } from '../../src/kinds/definition-parts.ts';
import { type ExportTitles, exportRoles } from '../../src/kinds/export-roles.ts';
import { type UnitRepair, unitRepairs } from '../../src/kinds/fields/amount-units.ts';
import type { IbanRegistry } from '../../src/kinds/fields/bank-numbers.ts';
import type { EmptyWords } from '../../src/kinds/fields/empty-words.ts';
import { fieldTypes } from '../../src/kinds/fields/field-types.ts';
import { findingCodes } from '../../src/kinds/fields/finding-codes.ts';
import type { SubdivisionNames } from '../../src/kinds/fields/places.ts';
import type { PostalCodeData } from '../../src/kinds/fields/postal-codes.ts';
import type { CountryInstitutions } from '../../src/kinds/institutions/directory.ts';
import { columnsOf, kinds } from '../../src/kinds/registry.ts';
import {
  type ColumnNames,
  type FieldMeanings,
  type LegalForms,
  languages,
  type NameTable,
} from '../../src/kinds/words-of-files.ts';
import type { RoleRights } from '../../src/ledger/connection/migrate.ts';
import type { QuestionReasonWords } from '../../src/propose/session/question-reason.ts';
import type { EncodingData } from '../../src/read/csv/encoding-guess.ts';
import { type MappingMeanings, mappingFileSchema } from '../../src/read/mapping/mapping-schema.ts';
import type { LineWords } from '../../src/read/mapping/non-rows.ts';
import type { MarkedWords } from '../../src/read/rows/marked-rows.ts';
import type { CountrySeed } from '../../src/sandbox/institutions.ts';

/*
 * Data files and styles are beside the modules that read them. The program does not check them at its start. This test
 * checks each data file by a schema of its type.
 */

const source = new URL('../../src/', import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).sort();
const read = (name: string): string => readFileSync(new URL(name, source), 'utf8');

const word = z.string().regex(/^\S(?:.*\S)?$/, 'it is empty, or has spaces around it');
const sentence = word.regex(/[.!?]$/, 'a sentence without its end');
const words = z
  .array(word)
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'a word occurs twice');
/** Texts with several entries: names separated by semicolons, codes by spaces. */
const listOf = (separator: string, entry: z.ZodType<string>) =>
  z.string().superRefine((text, { addIssue }) => {
    const { error } = z.intersection(z.array(entry), words).safeParse(text.split(separator));
    for (const { message } of error?.issues ?? []) addIssue(`${message}: ${text}`);
  });
const names = listOf('; ', word.regex(/^[^;]*$/, 'a semicolon without the space after it'));
const codes = (form: RegExp) => listOf(' ', z.string().regex(form));

const country = z.string().regex(/^[A-Z]{2}$/);
const currency = z.string().regex(/^[A-Z]{3}$/);
const digits = z.int().min(3).max(10);
const pattern = z.string().refine((form) => isPattern(form), 'no regular expression');
const nameTable: z.ZodType<NameTable> = z.partialRecord(z.enum(languages), names);
const limits = [z.number(), z.number()] as const;
const institutions = z.array(z.union([word, z.tuple([word, ...limits])]));

function isPattern(form: string): boolean {
  try {
    return new RegExp(`^(?:${form})$`).source !== '';
  } catch {
    return false;
  }
}

const presences = z.enum(['required', 'optional', 'checked', 'not_sent', 'unused']);
const fieldName = z.string().regex(/^[a-z][a-z_\d]*$/);
const fieldType = z
  .string()
  .refine((type): type is FieldType => Object.hasOwn(fieldTypes, type), 'no type of a field');
const columnData: z.ZodType<ColumnData> = z.strictObject({
  field: fieldName,
  type: fieldType,
  presence: presences.exactOptional(),
  whenEmpty: word.exactOptional(),
  orElse: fieldName.exactOptional(),
  requiredWith: z.array(fieldName).exactOptional(),
  seen: words.exactOptional(),
  allowed: words.exactOptional(),
  names: z.string(),
  description: word,
  example: word,
});
const columns: z.ZodType<ColumnList> = z.array(z.union([columnData, z.literal('customer')]));
/** Columns that say themselves whether they are required. */
const ownColumnList = columns.refine(
  (list) => list.every((column) => column === 'customer' || column.presence !== undefined),
  'a column without a presence',
);

const firstNames: z.ZodType<readonly string[]> = z.array(listOf(' ', z.string().regex(/^[a-z]{2,}$/)));

const answerFields: z.ZodType<readonly AnswerField[]> = z.array(
  z.strictObject({
    path: z.string().regex(/^[a-z_0-9]+(?:\[\])?(?:\.[a-z_0-9]+)?$/),
    type: z.enum(['text', 'integer', 'markup']),
    isNullable: z.literal(true).exactOptional(),
    isOptional: z.literal(true).exactOptional(),
    usual: words.exactOptional(),
  }),
);

/** Each column has its names, and all names are a column's. */
const namedColumns = files
  .filter((name) => /^kinds\/(?:\w+\/columns|customer-columns)\.json$/.test(name))
  .flatMap((name) => columns.parse(JSON.parse(read(name))))
  .flatMap((column) => (column === 'customer' ? [] : [column.names]));
const columnNames: z.ZodType<ColumnNames> = z.record(z.enum(namedColumns), nameTable);

const exportTitles: z.ZodType<ExportTitles> = z.strictObject({
  ownTitles: z.record(z.string().regex(/^[a-z]+$/), z.enum(exportRoles)),
  tried: z.array(
    z.strictObject({
      field: z.enum(exportRoles),
      type: fieldType,
      description: word,
      column: z.enum(namedColumns).exactOptional(),
      names: nameTable.exactOptional(),
    }),
  ),
  stated: z.partialRecord(z.enum(exportRoles), word),
});

const isInSmallLetters = (text: string): boolean => text === text.toLowerCase();
const dittoMarks = words.refine((marks) => marks.every(isInSmallLetters), 'a mark is not in small letters');

const ibanRegistry: z.ZodType<IbanRegistry> = z.strictObject({
  sources: word,
  forms: z.record(country, z.string().regex(/^(?:\d+![nac])+$/)),
  territories: z.record(country, country),
  sepa: codes(/^[A-Z]{2}$/),
});

const { $schema: _, open: __, ...parts } = mappingFileSchema.shape;
const mappingMeanings: z.ZodType<MappingMeanings> = z.record(z.enum(Object.keys(parts)), word);

const encodingData: z.ZodType<EncodingData> = z.strictObject({
  languages: z.record(
    z.string().regex(/^[a-z]+$/i),
    z.partialRecord(z.enum(['latin', 'script', 'words', 'frequent']), pattern),
  ),
  encodings: z.record(z.string().refine(iconv.encodingExists), z.literal('').or(codes(/^[a-z]+$/i))),
});

const institutionNames: z.ZodType<Readonly<Record<string, CountryInstitutions>>> = z.record(
  country,
  z.strictObject({
    country: word,
    source: word,
    branchCodeDigits: z.number().int().positive().exactOptional(),
    institutions: words.and(
      z.array(z.string().regex(/^[^;|]+(?:; [^;|]+)*(?: \|(?: \w+)+)?(?: \|(?: \|)? [A-Z]{4})?$/)),
    ),
  }),
);

const postalCodes: z.ZodType<PostalCodeData> = z.strictObject({
  sources: word,
  plainDigits: z.record(z.string().regex(/^\d+$/), codes(/^[A-Z]{2}$/)),
  otherForms: z.record(
    country,
    z
      .strictObject({ form: pattern, digits: digits.exactOptional(), inWords: word.exactOptional() })
      .refine((form) => form.digits !== undefined || form.inWords !== undefined, 'no words for it'),
  ),
  zipPrefixes: z.record(country, codes(/^\d{3}(?:-\d{3})?$/)),
  homesOfZero: z.record(country, z.record(z.string().regex(/^0\d$/), codes(/^[A-Z0-9]{1,3}$/))),
  vehicleSigns: z.record(z.string().regex(/^[A-Z]{1,3}$/), country),
});

const subdivisionNames: z.ZodType<SubdivisionNames> = z.strictObject({
  sources: word,
  names: z.record(country, z.record(z.string().regex(/^[A-Z0-9]{1,3}$/), names)),
});

const ownColumns = new Set(kinds.flatMap(columnsOf));
const legalForms: z.ZodType<LegalForms> = z.strictObject({
  business: z.record(country, names),
  individual: z.record(country, names),
});

const valueMeanings: z.ZodType<readonly FieldMeanings[]> = z.array(
  z.strictObject({
    fields: z.array(z.string().refine((field) => ownColumns.has(field), 'no kind has such a field')).min(1),
    meanings: z.record(z.string().regex(/^[a-z_]+$/), words),
  }),
);

const lineWords: z.ZodType<LineWords> = z.strictObject({
  totals: words,
  totalsOf: words,
  carried: words,
  signatures: words,
  examples: words,
});

const fieldWords: z.ZodType<FieldWords> = z.strictObject({
  kinds: z.record(z.enum(kinds), word),
  payeeTypes: z.record(z.string().regex(/^[a-z_]+$/), word),
  fields: z.record(
    z.enum(kinds),
    z.record(word.regex(/\?$/), z.record(z.string().regex(/^[a-z_\d]+$/), word)),
  ),
});

const rowWords: z.ZodType<RowWords> = z.strictObject({
  differences: z.record(
    z.enum(differenceKinds),
    z.strictObject({ name: word, meaning: sentence, next: sentence }),
  ),
  unclear: z.record(
    z.enum([
      ...(['matched_by_id', 'mismatched', 'left_out', 'missing_there', 'unknown_here'] as const),
      ...(['duplicate_here', 'duplicate_there', 'ambiguous', 'proposed'] as const),
    ]),
    word,
  ),
});

const errorKinds = z.enum([
  ...(['usage', 'file_refused', 'plan_changed', 'stopped', 'approval_needed', 'internal'] as const),
  ...(['content_not_approved', 'decision_needed', 'credentials_refused', 'busy'] as const),
]);
const statusWords: z.ZodType<StatusWords> = z.strictObject({
  statuses: z.record(z.enum(resultStatuses), z.strictObject({ label: word, meaning: word })),
  untouched: z.partialRecord(z.enum(resultStatuses), word),
  outcomes: z.record(z.enum([...errorKinds.options, 'rows_need_correction']), word),
});

const errorCode = z.string().refine((code) => errorCodes.has(code), 'no code of an error');
const noticeWords: z.ZodType<NoticeWords> = z.strictObject({
  endings: z.record(z.enum([...errorKinds.options, 'done', 'rows_need_correction']), word),
  actors: z.record(errorKinds, word),
  actorsOfCodes: z.array(z.strictObject({ toDo: word, codes: z.array(errorCode).min(1) })),
  codesLikeKinds: z.record(errorCode, errorKinds),
  rowActors: z.record(z.enum(openStatuses), word),
});

const route = z.string().regex(/^(?:GET|POST) \/[\w:/.-]*$/);
const routeGroups: z.ZodType<RouteGroups> = z.record(
  route,
  z.enum(['everybody', 'makers', 'approvers', 'admins']),
);

const dialect = z.array(z.strictObject({ id: word, label: word })).min(1);
const dialectChoices: z.ZodType<DialectChoices> = z.strictObject({ delimiter: dialect, encoding: dialect });

const adjustable = z.enum([...allSettings.map(({ name }) => name), ...machineSettingNames, ...requestParts]);
const pageWords: z.ZodType<PageWords> = z.strictObject({
  verdicts: z.record(z.enum(verdicts), z.strictObject({ name: word, text: sentence })),
  settings: z.record(adjustable, word),
  remedies: z.record(
    z.enum([
      ...(['resume', 'retry', 'submit', 'approve', 'status', 'results', 'reconcile', 'resolve'] as const),
      ...([
        'close',
        'corrections',
        'import',
        'plan',
        'validate',
        'mapping',
        'edit_mapping',
        'remembered_mappings',
      ] as const),
      ...(['institutions', 'template', 'help', 'doctor', 'verify_audit', 'migrate', 'recover'] as const),
    ]),
    word,
  ),
  chosenOnPages: z.array(adjustable),
  forms: z.record(z.string().regex(/^[a-z]+$/), word.regex(/^to /)),
});

const worklistTexts: z.ZodType<WorklistTexts> = z.record(
  z.enum([
    ...(['failed', 'doubts', 'approvals', 'payees', 'held', 'contradictions'] as const),
    ...(['differences', 'asked', 'sending', 'corrections', 'waiting'] as const),
  ]),
  z.strictObject({ title: word, introduction: sentence }),
);

const emptyWords: z.ZodType<EmptyWords> = z
  .strictObject({ words, doubtful: words })
  .refine(
    ({ words: all, doubtful }) => doubtful.every((each) => all.includes(each)),
    'a doubtful word is none',
  );

const lists = z.array(names);
const amountUnits: z.ZodType<Readonly<Record<UnitRepair, readonly string[]>>> = z.record(
  z.enum(unitRepairs),
  lists,
);
const markedWords: z.ZodType<MarkedWords> = z.strictObject({
  notToSend: lists,
  answers: lists,
  titles: lists,
  colours: lists,
  strikes: lists,
  rows: lists,
  negations: lists,
});

const seeds: z.ZodType<readonly CountrySeed[]> = z.array(
  z.strictObject({
    country,
    currency,
    callingCode: z.string().regex(/^\+[1-9]\d{0,3}$/),
    dialCode: z
      .string()
      .regex(/^[*#][*#\d]+#$/)
      .exactOptional(),
    bankLimits: z.tuple(limits),
    mobileLimits: z.tuple(limits),
    banks: institutions.min(1),
    mobileMoney: institutions,
  }),
);

const optionNames = z.string().regex(/^[a-z]+(?:-[a-z]+)*$/);
const argument = z.strictObject({
  name: optionNames,
  description: word,
  isRequired: z.boolean().exactOptional(),
  isList: z.boolean().exactOptional(),
  choices: words.exactOptional(),
});
const option = z.strictObject({
  name: optionNames,
  type: z.enum(['string', 'boolean', 'list']),
  description: word,
  valueName: word.exactOptional(),
  choices: words.or(z.literal('payee types')).exactOptional(),
  shownDefault: word.exactOptional(),
  isRequired: z.boolean().exactOptional(),
});
const sharedNames = sharedOptions.map(({ name, setting }) => setting ?? name) as SharedOptionName[];
const commandData: z.ZodType<CommandData> = z.strictObject({
  arguments: z.record(z.string(), argument),
  options: z.record(z.string(), option),
  commands: z.array(
    z.strictObject({
      name: optionNames,
      description: word,
      arguments: z.array(z.enum(['batch', '[batch]', 'files']).or(argument)),
      options: z.array(z.enum(['plan-hash']).or(option)),
      oftenNeeded: z.array(z.enum(sharedNames)),
      examples: z.array(z.strictObject({ line: z.string().regex(/^paybatch \w/), purpose: word })).min(2),
    }),
  ),
});

const columnsIn = String.raw`( \([a-z_]+(, [a-z_]+)*\))?`;
const right = z.string().regex(new RegExp(`^((INSERT|UPDATE)${columnsIn}|DELETE)$`));
const roleRights: z.ZodType<Record<LedgerRole, RoleRights>> = z.record(
  z.enum(['worker', 'approver', 'console']),
  z.strictObject({
    tables: z.record(z.string().regex(/^[a-z_]+$/), z.array(right).min(1)),
    functions: z.array(z.string().regex(/^[a-z_]+\([a-z[\], ]+\)$/)),
  }),
);
const template = word.regex(/^[^{}]*(?:\{(?:number|record|row|id|head|log|hash)\}[^{}]*)*$/);
const auditWords: z.ZodType<AuditWords> = z.strictObject({
  problems: z.record(
    z.enum([
      ...(['event_changed', 'event_missing', 'link_broken', 'tail_missing', 'head_missing'] as const),
      ...(['head_differs', 'record_unnoted', 'record_missing', 'record_changed', 'approval_wrong'] as const),
      ...(['key_wrong', 'claim_not_approved', 'row_not_approved', 'request_changed'] as const),
      ...(['request_not_staged', 'request_not_logged', 'object_missing', 'object_not_answered'] as const),
      ...(['record_lost', 'row_not_staged', 'rows_not_staged', 'answer_not_logged'] as const),
      ...(['code_not_answered', 'answer_missing', 'logged_head_differs'] as const),
    ]),
    template,
  ),
  records: z.record(
    z.enum([
      ...(['batch', 'staged_rows', 'reading', 'closing', 'run', 'run_end', 'claims'] as const),
      ...(['reconciliation', 'difference_decision', 'plan', 'approval', 'user', 'user_active'] as const),
      ...(['user_lock', 'key', 'key_end', 'password', 'session', 'policy', 'policy_force'] as const),
      ...(['api_key', 'api_key_use', 'disowned_key', 'policy_waiver', 'halt', 'halt_end'] as const),
      ...(['put_away', 'verdicts', 'event'] as const),
    ]),
    word,
  ),
});

const questionReasonWords: z.ZodType<QuestionReasonWords> = z.strictObject({
  reasons: z.record(
    z.enum([
      ...(['review', 'several_sheets', 'several_headers', 'several_kinds'] as const),
      ...(['several_payee_types', 'hidden_rows', 'amounts_unread', 'column_may_exclude'] as const),
      ...(['column_decides', 'decimal_unclear', 'date_format_unclear', 'whole_name'] as const),
      ...(['phone_country_unclear'] as const),
    ]),
    word,
  ),
  evidence: z.record(z.enum(['name_and_values', 'part_of_name_and_values', 'values']), word),
  repairs: z.record(z.enum(repairs), word),
});

const schemas: Readonly<Record<string, z.ZodType>> = {
  'account/notice-words.json': noticeWords,
  'account/words/mapping-words.json': fieldWords,
  'account/words/row-words.json': rowWords,
  'account/words/status-words.json': statusWords,
  'cli/definitions/commands.json': commandData,
  'cli/views/audit-words.json': auditWords,
  'console/access/rights.json': routeGroups,
  'console/pages/mapping-dialect.json': dialectChoices,
  'console/pages/page-words.json': pageWords,
  'console/pages/worklist.json': worklistTexts,
  'kinds/accounts/answer.json': answerFields,
  'kinds/accounts/columns.json': ownColumnList,
  'kinds/collections/answer.json': answerFields,
  'kinds/collections/columns.json': ownColumnList,
  'kinds/column-names.json': columnNames,
  'kinds/customer-columns.json': z.array(columnData),
  'kinds/customers/columns.json': ownColumnList,
  'kinds/export-roles.json': exportTitles,
  'kinds/fields/amount-units.json': amountUnits,
  'kinds/fields/country-names.json': z.record(country, names),
  'kinds/fields/currency-signs.json': z.record(currency, names),
  'kinds/fields/ditto-marks.json': dittoMarks,
  'kinds/fields/empty-words.json': emptyWords,
  'kinds/fields/finding-codes.json': z.record(z.enum(findingCodes), word),
  'kinds/fields/iban-registry.json': ibanRegistry,
  'kinds/fields/label-words.json': lists,
  'kinds/fields/postal-codes.json': postalCodes,
  'kinds/fields/subdivision-names.json': subdivisionNames,
  'kinds/first-names.json': firstNames,
  'kinds/institutions/institution-names.json': institutionNames,
  'kinds/legal-forms.json': legalForms,
  'kinds/recipients/answer.json': answerFields,
  'kinds/recipients/columns.json': columns,
  'kinds/value-meanings.json': valueMeanings,
  'ledger/connection/role-rights.json': roleRights,
  'propose/columns/bank-code-titles.json': nameTable,
  'propose/session/question-reasons.json': questionReasonWords,
  'read/csv/encodings.json': encodingData,
  'read/mapping/line-words.json': lineWords,
  'read/mapping/mapping-meanings.json': mappingMeanings,
  'read/rows/marked-words.json': markedWords,
  'sandbox/seeds.json': seeds,
};

describe('a data file', () => {
  it('has a schema', () => {
    expect(files.filter((name) => name.endsWith('.json'))).toEqual(Object.keys(schemas));
  });

  it.each(Object.keys(schemas))('%s has the form of its type', (name) => {
    const { error } = schemas[name]?.safeParse(JSON.parse(read(name))) ?? {};
    expect(error === undefined ? [] : error.issues).toEqual([]);
  });

  it('offers the verdicts that there are', () => {
    const { commands } = commandData.parse(JSON.parse(read('cli/definitions/commands.json')));
    const options = commands.find(({ name }) => name === 'resolve')?.options ?? [];
    const as = options.flatMap((each) => (typeof each === 'object' && each.name === 'as' ? [each] : []));
    expect(as.map(({ choices }) => choices)).toEqual([[...verdicts]]);
  });

  it('names each country of postal codes once', () => {
    const { plainDigits, otherForms } = postalCodes.parse(JSON.parse(read('kinds/fields/postal-codes.json')));
    const countries = [
      ...Object.values(plainDigits).flatMap((list) => list.split(' ')),
      ...Object.keys(otherForms),
    ];
    expect(countries.filter((each, index) => countries.indexOf(each) !== index)).toEqual([]);
  });

  it('names only subdivisions that their countries have', () => {
    const known = new Set(iso31662.map(({ code }) => code));
    const { names: byCountry } = subdivisionNames.parse(
      JSON.parse(read('kinds/fields/subdivision-names.json')),
    );
    const named = Object.entries(byCountry).flatMap(([of, entries]) =>
      Object.keys(entries).map((each) => `${of}-${each}`),
    );
    expect(named.filter((each) => !known.has(each))).toEqual([]);
  });

  it('is refused with a repeated name, an invalid pattern, or an unknown key', () => {
    expect(nameTable.safeParse({ en: 'payee; payee' }).success).toBe(false);
    expect(nameTable.safeParse({ en: 'payee;beneficiary' }).success).toBe(false);
    expect(nameTable.safeParse({ xx: 'payee' }).success).toBe(false);
    expect(columnNames.safeParse({}).success).toBe(false);
    expect(pattern.safeParse('[1-9').success).toBe(false);
    expect(emptyWords.safeParse({ words: ['n/a'], doubtful: ['?'] }).success).toBe(false);
  });
});

describe('a style sheet', () => {
  it('of reports and pages has both hues of every status', () => {
    const text = `\n${read('account/report/shared.css')}`;
    for (const status of resultStatuses) {
      expect([status, text.split(` --${status}: #`).length - 1]).toEqual([status, 2]);
      expect(text).toContain(`\ni.${status} { background: var(--${status}); }\n`);
    }
  });

  it('has the hues of the bar of a page of the console', () => {
    const drawn = resultStatuses.map((status) => `.bar .${status} { fill: var(--${status}); }`);
    expect(read('console/pages/console.css')).toContain(drawn.join('\n'));
  });
});

describe('the build', async () => {
  const { withDataFiles }: { withDataFiles: (code: string, source: string) => string } = await import(
    new URL('../../.ci/data-files.mjs', import.meta.url).href
  );

  it('puts the text of data files and styles into every module that reads one', () => {
    const readers = files.filter(
      (name) => name.endsWith('.ts') && /\.(?:json|css|client\.js)', import\.meta\.url/.test(read(name)),
    );
    expect(readers.length).toBeGreaterThan(5);
    for (const name of readers) {
      const filled = withDataFiles(read(name), fileURLToPath(new URL(name, source)));
      expect([name, /\.(?:json|css|client\.js)', import\.meta\.url/.test(filled)]).toEqual([name, false]);
    }
  });

  it('fails where it would leave one to be read', () => {
    const file = fileURLToPath(new URL('kinds/a.ts', source));
    expect(() => withDataFiles("read(new URL('./a.json', import.meta.url))", file)).toThrow(/does not know/);
  });
});
