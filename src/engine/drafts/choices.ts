/* The possible cell values of a column with a known set of values: countries, currencies, institutions, payee types. */

import { iso31661 } from 'iso-3166';
import { type CallResult, noBatches } from '../../account/result.ts';
import type { CallContext } from '../../call/context.ts';
import { findNamedBatch } from '../../call/ledger-access.ts';
import type { BatchRecord, Kind } from '../../domain/batches/batch.ts';
import { currencyCodes } from '../../domain/money/money.ts';
import { ruleOf } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { isSameTitle, type MappingFile } from '../../read/mapping/mapping-schema.ts';
import { fieldOfTitle } from '../../read/mapping/table-mapping.ts';
import { keptMapping } from '../../read/sources/stated-reading.ts';
import { payeeTypesOf } from '../choices.ts';

interface ChoicesRequest {
  /** A batch id, or 4 or more of its first characters. */
  readonly batch: string;
  /** Index of the column in the header of the batch, from 0. */
  readonly place: number;
}

interface ChoicesResult extends CallResult {
  /** Empty for a column without a known set of values. */
  readonly choices: readonly KnownValue[];
}

/** Lists the values that the checker knows for a column. Read only. */
export async function choicesOf(app: CallContext, request: ChoicesRequest): Promise<ChoicesResult> {
  const { verbs } = await app.connections.ledgerToRead();
  const batch = await findNamedBatch(verbs, request.batch);
  const original = await verbs.findOriginalBatch(batch.id);
  const mapping = original === undefined ? {} : keptMapping(original);
  const field = fieldOfTitle(batch.header[request.place] ?? '', batch.kind, mapping);
  const choices =
    field === null || field === undefined
      ? []
      : [...wordsOfFile(mapping, field), ...(await valuesOf(verbs, batch, field))];
  return { ...noBatches, choices };
}

/** The words that the file uses for values, as a person has confirmed them in the mapping. */
function wordsOfFile({ values = {} }: MappingFile, field: string): readonly KnownValue[] {
  const [, words = {}] = Object.entries(values).find(([name]) => isSameTitle(name, field)) ?? [];
  return Object.entries(words).map(([value, meaning]) => ({ value, name: meaning ?? '' }));
}

async function valuesOf(
  verbs: LedgerVerbs,
  batch: Pick<BatchRecord, 'id' | 'environmentId' | 'kind'>,
  field: string,
): Promise<readonly KnownValue[]> {
  return field === 'institution_id' || field === 'institution_name'
    ? institutionsOf(verbs, batch, field)
    : knownValuesOf(batch.kind, field);
}

const collator = new Intl.Collator('en');

/** The institutions by which the rows of the batch were checked. */
async function institutionsOf(
  verbs: LedgerVerbs,
  { id: batchId, environmentId }: Pick<BatchRecord, 'id' | 'environmentId'>,
  field: 'institution_id' | 'institution_name',
): Promise<readonly KnownValue[]> {
  const choices: KnownValue[] = [];
  for (const { country } of await verbs.listPinnedInstitutions(batchId)) {
    const list = await verbs.loadInstitutionList(environmentId, country);
    for (const { id, name } of list?.institutions ?? []) {
      choices.push(
        field === 'institution_id'
          ? { value: id, name: `${name}, ${country}` }
          : { value: name, name: country },
      );
    }
  }
  return choices.sort(
    (one, other) => collator.compare(one.name, other.name) || collator.compare(one.value, other.value),
  );
}

/* The values of fields with a known set of values: countries, currencies, payee types, and the API's own words. */

/** A value and the name that people use for it; the name is empty where the value is clear by itself. */
export interface KnownValue {
  readonly value: string;
  readonly name: string;
}

/**
 * Lists the values of a field.
 * @returns an empty list for a field without a known set of values, and for one whose values depend on a country, such as
 *   an institution
 */
export function knownValuesOf(kind: Kind, field: string): readonly KnownValue[] {
  if (field === 'payee_type') return payeeTypesOf(kind).map((value) => ({ value, name: '' }));
  const rule = ruleOf(kind, field);
  if (rule?.type === 'country') return countries;
  if (rule?.type === 'currency') return currencies;
  return (rule?.allowed ?? []).map((value) => ({ value, name: '' }));
}

const countries: readonly KnownValue[] = iso31661
  .flatMap(({ state, alpha2, name }) => (state === 'assigned' ? [{ value: alpha2, name }] : []))
  .sort((one, other) => collator.compare(one.name, other.name));

const currencyNames = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
const currencies: readonly KnownValue[] = currencyCodes.map((value) => ({
  value,
  name: currencyNames.of(value) ?? '',
}));
