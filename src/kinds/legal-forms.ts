/*
 * Legal forms of businesses, by their short names, and what they say of the owner of an account. Source: the list of Entity
 * Legal Forms of ISO 20275 (GLEIF, version 1.5, 2023-09-28). Where it has a form by its whole name only, the short name is
 * that of the country's law. A sole trader is a person.
 */

import { readFileSync } from 'node:fs';
import { dataOf } from '../domain/text/data-file.ts';

/** What a legal form says of an owner. */
type Owner = 'business' | 'individual';

/** By what they say: the legal forms of each country, separated by semicolons. */
export type LegalForms = Readonly<Record<Owner, Readonly<Record<string, string>>>>;

const forms = dataOf<LegalForms>(readFileSync(new URL('./legal-forms.json', import.meta.url), 'utf8'));

/** Letters and digits of a text in small letters: `Sp. z o.o.` is `spzoo`. */
export function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** By form: what it says in each country that has it. */
const byForm = new Map<string, Map<string, Owner>>();
for (const owner of ['business', 'individual'] as const) {
  for (const [country, list] of Object.entries(forms[owner])) {
    for (const form of list.split('; ').map(lettersOf))
      byForm.set(form, (byForm.get(form) ?? new Map<string, Owner>()).set(country, owner));
  }
}

/**
 * What legal forms say of owners. `e.V.` is an association in Germany, and `e.v.` a sole trader in Hungary: the forms beside
 * it tell the country.
 * @param beside the other values of the column
 * @returns undefined for what is no legal form, and where the country is open
 */
export function ownersOfForms(beside: readonly string[]): (form: string) => Owner | undefined {
  const counts = new Map<string, number>();
  for (const form of new Set(beside.map(lettersOf))) {
    for (const country of byForm.get(form)?.keys() ?? []) counts.set(country, (counts.get(country) ?? 0) + 1);
  }
  return (form) => {
    const said = [...(byForm.get(lettersOf(form)) ?? [])];
    const most = Math.max(...said.map(([country]) => counts.get(country) ?? 0));
    const likely = said.filter(([country]) => (counts.get(country) ?? 0) === most);
    const owners = new Set(likely.map(([, owner]) => owner));
    return owners.size === 1 ? likely[0]?.[1] : undefined;
  };
}
