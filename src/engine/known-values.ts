/* The values that a field can have where they are a known set: countries, currencies, payee types, and the API's own words. */

import { iso31661 } from 'iso-3166';
import type { Kind } from '../domain/batches/batch.ts';
import { currencyCodes } from '../domain/money/money.ts';
import { definitionsOf, ruleOf } from '../kinds/registry.ts';

/** A value, and what people know it by; an empty name where the value says it. */
export interface KnownValue {
  readonly value: string;
  readonly name: string;
}

/** @returns none for a field whose values are not a known set, or depend on a country, as institutions do */
export function knownValuesOf(kind: Kind, field: string): readonly KnownValue[] {
  if (field === 'payee_type') return payeeTypesOf(kind);
  const rule = ruleOf(kind, field);
  if (rule?.type === 'country') return countries;
  if (rule?.type === 'currency') return currencies;
  return (rule?.allowed ?? []).map((value) => ({ value, name: '' }));
}

function payeeTypesOf(kind: Kind): readonly KnownValue[] {
  return definitionsOf(kind).flatMap(({ payeeType }) =>
    payeeType === null ? [] : [{ value: payeeType, name: '' }],
  );
}

const collator = new Intl.Collator('en');

const countries: readonly KnownValue[] = iso31661
  .flatMap(({ state, alpha2, name }) => (state === 'assigned' ? [{ value: alpha2, name }] : []))
  .sort((one, other) => collator.compare(one.name, other.name));

const currencyNames = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
const currencies: readonly KnownValue[] = currencyCodes.map((value) => ({
  value,
  name: currencyNames.of(value) ?? '',
}));
