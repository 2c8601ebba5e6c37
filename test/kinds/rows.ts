import type { Kind } from '../../src/domain/batches/batch.ts';
import type { Institution, InstitutionList } from '../../src/domain/institution.ts';
import { noteText } from '../../src/domain/rows/finding.ts';
import { type PhoneCountry, plainReadingRules, type ReadingRules } from '../../src/domain/tables/mapping.ts';
import type { CellKind } from '../../src/domain/tables/table.ts';
import type { KnownObject } from '../../src/kinds/definition.ts';
import { createRowChecker } from '../../src/kinds/fields/row-checker.ts';
import type {
  CheckedRow,
  FoundObjects,
  Lookups,
  NeededLookups,
  RowChecker,
} from '../../src/kinds/row-check.ts';
import type { RuleChanges } from '../../src/kinds/rule-changes.ts';

export type Values = Readonly<Record<string, string>>;

export interface RowOptions {
  readonly reading?: Partial<ReadingRules>;
  readonly rules?: RuleChanges;
  readonly kinds?: Readonly<Record<string, CellKind>>;
  /** What the file calls its columns, where that is not paybatch's name. */
  readonly titles?: Values;
  readonly constants?: Values;
  readonly translations?: Readonly<Record<string, Values>>;
  readonly cellsBeyond?: readonly string[];
  readonly phoneCountry?: PhoneCountry;
  /** Fields whose value is joined from columns of the file, by their titles. */
  readonly joins?: Readonly<Record<string, readonly string[]>>;
  /** Columns of the file that are no fields themselves. */
  readonly others?: readonly string[];
}

export interface CheckedTable {
  readonly checker: RowChecker;
  readonly row: CheckedRow;
}

/** Checks one row of a file whose columns are the given ones, in their order. */
export function checkTable(kind: Kind, values: Values, options: RowOptions = {}): CheckedTable {
  const fields = Object.keys(values);
  const { titles = {}, constants = {}, translations = {} } = options;
  const { joins = {}, others = [] } = options;
  const ofFields = fields.filter((field) => !others.includes(field));
  const columns = ofFields.map((field) => {
    const index = fields.indexOf(field);
    const translated = translations[field];
    const found = translated === undefined ? {} : { values: new Map(Object.entries(translated)) };
    return { field, title: titles[field] ?? field, index, ...found };
  });
  const constantColumns = Object.entries(constants).map(([field, constant]) => ({
    field,
    title: field,
    index: null,
    constant,
  }));
  const joinedColumns = Object.entries(joins).map(([field, parts]) => {
    const joined = parts.map((title) => ({ title, index: fields.indexOf(title) }));
    return { field, title: parts.join(' + '), index: null, joined };
  });
  const { phoneCountry } = options;
  const checker = createRowChecker({
    mapping: {
      kind,
      columns: [...columns, ...joinedColumns, ...constantColumns],
      ...(phoneCountry === undefined ? {} : { phoneCountry }),
    },
    reading: { ...plainReadingRules, ...options.reading },
    today: '2026-11-20',
    headerWidth: fields.length,
    ...(options.rules === undefined ? {} : { rules: options.rules }),
  });
  const kinds = new Map(
    Object.entries(options.kinds ?? {}).map(([field, cellKind]) => [fields.indexOf(field), cellKind]),
  );
  const cells = [...Object.values(values), ...(options.cellsBeyond ?? [])];
  return { checker, row: checker.checkFields(kinds.size === 0 ? { cells } : { cells, kinds }) };
}

export function checkRow(kind: Kind, values: Values, options: RowOptions = {}): CheckedRow {
  return checkTable(kind, values, options).row;
}

/** What a row asks to be looked up, in the order in which it asks. */
export function needsOf(
  { checker, row }: CheckedTable,
  found?: FoundObjects,
): { institutionCountries: string[]; handles: { kind: Kind; handle: string }[]; customerIds: string[] } {
  const needs = {
    institutionCountries: [] as string[],
    handles: [] as { kind: Kind; handle: string }[],
    customerIds: [] as string[],
  };
  const needed: NeededLookups = {
    object: (kind, handle) => needs.handles.push({ kind, handle }),
    customerById: (id) => needs.customerIds.push(id),
    institutions: (country) => needs.institutionCountries.push(country),
  };
  checker.needs(row, needed, found);
  return needs;
}

/** Findings as `column: code`, in their order. */
export function findingsOf(row: CheckedRow): readonly string[] {
  return row.findings.map(
    ({ column, code, severity }) => `${column}: ${code}${severity === 'held' ? ' (held)' : ''}`,
  );
}

export const customerId = '3f2b6c1e-8a57-4d0b-9c36-5b1f0e7a2d94';
export const accountId = '9a1d4c70-6e2f-4b8a-8f15-2c7e9b3a6d01';
export const bankId = '5d0c8e3b-71f4-4a92-b6de-0f3a9c218e47';
export const walletId = '77777777-71f4-4a92-b6de-0f3a9c218e47';

/** A valid row of each definition. */
export const validRows = {
  customers: { external_id: 'C-1', first_name: 'Amina', last_name: 'Otieno' },
  accounts: { customer_id: customerId, currency: 'USD', blockchain_network: 'polygon', label: 'Main' },
  'recipients/bank_account_us': {
    payee_type: 'bank_account_us',
    customer_id: customerId,
    account_name: 'Amina Otieno',
    account_number: '000123456789',
    routing_number: '021000021',
    bank_name: 'Chase',
    currency: 'USD',
    account_owner_type: 'individual',
    account_type: 'savings',
    address_line1: '1 Main Street',
    city: 'San Francisco',
    state: 'US-CA',
    country: 'US',
    postal_code: '94103',
  },
  'recipients/bank_account': {
    payee_type: 'bank_account',
    customer_id: customerId,
    account_name: 'Amina Otieno',
    account_number: '0110123456789',
    bank_name: 'Equity',
    currency: 'KES',
    institution_id: bankId,
    institution_country: 'KE',
    amount: '1500',
  },
  'recipients/mobile_money': {
    payee_type: 'mobile_money',
    customer_id: customerId,
    account_name: 'Amina Otieno',
    phone_number: '+254712345678',
    currency: 'KES',
    institution_id: walletId,
    amount: '1500',
  },
  'recipients/sepa': {
    payee_type: 'sepa',
    customer_id: customerId,
    account_name: 'Amina Otieno',
    iban: 'DE89370400440532013000',
    bank_name: 'Commerzbank',
    currency: 'EUR',
    account_owner_type: 'individual',
    address_line1: 'Hauptstr. 1',
    city: 'Berlin',
    country: 'DE',
    postal_code: '10115',
  },
  collections: {
    client_reference: 'INV-1',
    amount: '1500.00',
    currency: 'KES',
    country: 'KE',
    customer_id: customerId,
    destination_id: accountId,
  },
} as const satisfies Readonly<Record<string, Values>>;

export type DefinitionName = keyof typeof validRows;

export function kindOf(name: DefinitionName): Kind {
  return name.startsWith('recipients/') ? 'recipients' : (name as Kind);
}

export function without(values: Values, ...fields: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
}

export const kenyanInstitutions: readonly Institution[] = [
  {
    id: bankId,
    name: 'Equity Bank',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: '100',
    maxAmount: '999999.99',
  },
  {
    id: walletId,
    name: 'M-Pesa',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'phone_number',
    minAmount: '10.5',
    maxAmount: '1.5e5',
  },
  {
    id: '88888888-71f4-4a92-b6de-0f3a9c218e47',
    name: 'National Bank',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: null,
    maxAmount: null,
  },
  {
    id: '99999999-71f4-4a92-b6de-0f3a9c218e47',
    name: 'NATIONAL BANK',
    country: 'KE',
    currency: 'KES',
    accountNumberType: 'bank_account_number',
    minAmount: '1',
    maxAmount: '2',
  },
];

/** The simplest list possible, so that the checks are tested without the directory. */
export function listOf(institutions: readonly Institution[], isComplete = true): InstitutionList {
  const fold = (name: string) => name.toLowerCase().replaceAll(' ', '');
  return {
    country: 'KE',
    isComplete,
    all: institutions,
    byId: (id) => institutions.find((institution) => institution.id === id),
    byName: (name) => institutions.filter((institution) => fold(institution.name) === fold(name)),
    nearestNames: () => ['Equity Bank', 'National Bank'],
  };
}

export interface Known {
  readonly objects?: Readonly<Record<string, KnownObject>>;
  readonly customersById?: Readonly<Record<string, KnownObject>>;
  readonly lists?: Readonly<Record<string, InstitutionList>>;
}

/** Objects are named `kind handle`. */
export function lookupsOf({
  objects = {},
  customersById = {},
  lists = { KE: listOf(kenyanInstitutions) },
}: Known): Lookups {
  return {
    object: (kind, handle) => objects[`${kind} ${handle}`],
    customerById: (id) => customersById[id],
    institutions: (country) => lists[country],
  };
}

/** Checks a row with what it names. */
export function checkNamed(
  kind: Kind,
  values: Values,
  known: Known = {},
  options: RowOptions = {},
): CheckedRow {
  const { checker, row } = checkTable(kind, values, options);
  return checker.checkReferences(row, lookupsOf(known));
}

export const definitionNames = Object.keys(validRows) as DefinitionName[];

/** The findings of a definition's valid row after a change. */
export function findings(name: DefinitionName, change: Values, options: RowOptions = {}): readonly string[] {
  return findingsOf(checkRow(kindOf(name), { ...validRows[name], ...change }, options));
}

/** The notes of a definition's valid row after a change. */
export function notes(name: DefinitionName, change: Values, options: RowOptions = {}): readonly string[] {
  return checkRow(kindOf(name), { ...validRows[name], ...change }, options).notes.map(noteText);
}
