/* The meanings that a column of the other side's export can have, besides a compared field, and their usual titles. */

import { readFileSync } from 'node:fs';
import type { FieldRule } from './definition.ts';
import { normaliseHeader } from './registry.ts';
import { type NameTable, namesOf, type Synonyms, synonymsOf } from './words-of-files.ts';

/** The meanings that a column of an export can have, besides a compared field. */
export const exportRoles = [
  ...['id', 'reference', 'amount', 'credit', 'debit', 'currency'],
  ...['date', 'group', 'entry', 'account', 'counterparty', 'text'],
] as const;

export type ExportRole = (typeof exportRoles)[number];

export function isExportRole(text: string): text is ExportRole {
  return (exportRoles as readonly string[]).includes(text);
}

/** What `export-roles.json` has of a role that is tried for a column: its usual titles, and paybatch's column that has them too. */
interface RoleData extends Pick<FieldRule, 'type' | 'description'> {
  readonly field: ExportRole;
  readonly column?: string;
  readonly names?: NameTable;
}

/** What `export-roles.json` has. */
export interface ExportTitles {
  /** The titles that mean a role for certain. */
  readonly ownTitles: Readonly<Record<string, ExportRole>>;
  readonly tried: readonly RoleData[];
  /** Descriptions of the roles that only a person states. */
  readonly stated: Readonly<Partial<Record<ExportRole, string>>>;
}

const { ownTitles, tried, stated }: ExportTitles = JSON.parse(
  readFileSync(new URL('./export-roles.json', import.meta.url), 'utf8'),
);

/** The role that a title means for certain. */
export function roleForHeader(title: string): ExportRole | undefined {
  const name = normaliseHeader(title);
  return Object.hasOwn(ownTitles, name) ? ownTitles[name] : undefined;
}

/** The roles that are tried for a column. Only a person can state the others. */
export const roleRules = tried.map(({ column, names = {}, ...role }) => ({
  ...role,
  synonyms: together(column === undefined ? {} : namesOf(column), synonymsOf(names)),
}));

/** The description of a role, for people. */
export function roleDescription(role: ExportRole): string {
  return roleRules.find(({ field }) => field === role)?.description ?? stated[role] ?? '';
}

/** The names of two lists, language by language. */
function together(left: Synonyms, right: Synonyms): Synonyms {
  const languages = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof Synonyms)[];
  return Object.fromEntries(
    languages.map((language) => [language, [...(left[language] ?? []), ...(right[language] ?? [])]]),
  );
}
