/* The meanings that a column of the other side's export can have, besides a compared field, and their usual titles. */

import { readFileSync } from 'node:fs';
import type { FieldRule } from './definition.ts';
import { normaliseHeader } from './registry.ts';
import { type NameTable, namesOf, type Synonyms, synonymsOf } from './words-of-files.ts';

/** The meanings that a column of an export can have, besides a compared field. */
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
  'counterparty',
  'text',
] as const;

export type ExportRole = (typeof exportRoles)[number];

export function isExportRole(text: string): text is ExportRole {
  return (exportRoles as readonly string[]).includes(text);
}

/** What `export-roles.json` has. */
export interface ExportTitles {
  /** The titles that mean a role for certain. */
  readonly ownTitles: Readonly<Record<string, ExportRole>>;
  /** Usual titles of a role, besides those of paybatch's own columns. */
  readonly names: Readonly<
    Record<'id' | 'reference' | 'amount' | 'date' | 'credit' | 'debit' | 'text', NameTable>
  >;
}

const { ownTitles, names }: ExportTitles = JSON.parse(
  readFileSync(new URL('./export-roles.json', import.meta.url), 'utf8'),
);

/** The role that a title means for certain. */
export function roleForHeader(title: string): ExportRole | undefined {
  const name = normaliseHeader(title);
  return Object.hasOwn(ownTitles, name) ? ownTitles[name] : undefined;
}

/** A role as it is tried for a column. */
type RoleRule = Pick<FieldRule, 'field' | 'type' | 'synonyms' | 'description'> & {
  readonly field: ExportRole;
};

/** The roles that are tried for a column. Only a person can state the others. */
export const roleRules: readonly RoleRule[] = [
  {
    field: 'id',
    type: 'uuid',
    description: "The object's id at the API",
    synonyms: synonymsOf(names.id),
  },
  {
    field: 'reference',
    type: 'identifier',
    description: 'Our own reference: of a collection, or the external id of a customer',
    synonyms: together(namesOf('clientReference'), synonymsOf(names.reference)),
  },
  {
    field: 'amount',
    type: 'amount',
    description: 'The amount',
    synonyms: together(namesOf('amount'), synonymsOf(names.amount)),
  },
  {
    field: 'credit',
    type: 'amount',
    description: 'What came in, where debits stand apart',
    synonyms: synonymsOf(names.credit),
  },
  {
    field: 'debit',
    type: 'amount',
    description: 'What went out, where credits stand apart',
    synonyms: synonymsOf(names.debit),
  },
  {
    field: 'currency',
    type: 'currency',
    description: 'The currency of the amount',
    synonyms: namesOf('currency'),
  },
  {
    field: 'date',
    type: 'birth_date',
    description: 'The day on which it was made',
    synonyms: synonymsOf(names.date),
  },
  {
    field: 'text',
    type: 'text',
    description: 'Words in which our reference may stand',
    synonyms: synonymsOf(names.text),
  },
];

/** Descriptions of the roles that only a person states. */
const furtherDescriptions: Readonly<Partial<Record<ExportRole, string>>> = {
  group: 'What several records have in common that are one row here: its reference or id',
  entry: "The bank's own number of an entry",
  account: 'The account on which that number counts',
  counterparty: 'Who paid or was paid; only shown',
};

/** The description of a role, for people. */
export function roleDescription(role: ExportRole): string {
  return roleRules.find(({ field }) => field === role)?.description ?? furtherDescriptions[role] ?? '';
}

/** The names of two lists, language by language. */
function together(left: Synonyms, right: Synonyms): Synonyms {
  const languages = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof Synonyms)[];
  return Object.fromEntries(
    languages.map((language) => [language, [...(left[language] ?? []), ...(right[language] ?? [])]]),
  );
}
