/*
 * The possible meanings of a column in the other side's export, besides a compared field, and the usual titles of such
 * columns.
 */

import { readFileSync } from 'node:fs';
import type { FieldRule } from './definition.ts';
import { normaliseHeader } from './registry.ts';
import { type NameTable, namesOf, type Synonyms, synonymsOf } from './words-of-files.ts';

/** The possible meanings of a column in an export, besides a compared field. */
export const exportRoles = [
  ...['id', 'reference', 'amount', 'credit', 'debit', 'currency'],
  ...['date', 'group', 'entry', 'account', 'counterparty', 'text'],
] as const;

export type ExportRole = (typeof exportRoles)[number];

export function isExportRole(text: string): text is ExportRole {
  return (exportRoles as readonly string[]).includes(text);
}

/**
 * The entry in `export-roles.json` for a role that is tried for a column: its usual titles, and the column of paybatch with
 * the same titles.
 */
interface RoleData extends Pick<FieldRule, 'type' | 'description'> {
  readonly field: ExportRole;
  readonly column?: string;
  readonly names?: NameTable;
}

/** The content of `export-roles.json`. */
export interface ExportTitles {
  /** The titles that certainly mean a role. */
  readonly ownTitles: Readonly<Record<string, ExportRole>>;
  readonly tried: readonly RoleData[];
  /** Descriptions of the roles that only a person can state. */
  readonly stated: Readonly<Partial<Record<ExportRole, string>>>;
}

const { ownTitles, tried, stated }: ExportTitles = JSON.parse(
  readFileSync(new URL('./export-roles.json', import.meta.url), 'utf8'),
);

/** The role that a title certainly means. */
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

/** Joins the names of two lists, language by language. */
function together(left: Synonyms, right: Synonyms): Synonyms {
  const languages = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof Synonyms)[];
  return Object.fromEntries(
    languages.map((language) => [language, [...(left[language] ?? []), ...(right[language] ?? [])]]),
  );
}
