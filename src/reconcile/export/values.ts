/* Values in the canonical form in which both sides are compared, and paybatch's own rows with such values. */

import type { Kind } from '../../domain/batches/batch.ts';
import { canonicalAmount } from '../../domain/money/money.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { parsedJson } from '../../domain/sending/answer.ts';
import type { FieldType, ResourceDefinition } from '../../kinds/definition.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { definitionsOf, kindNamed, kinds, ruleOf } from '../../kinds/registry.ts';
import type { OwnRecord } from '../../ledger/after-sending/evidence.ts';
import type { MatchRecord } from '../matching/records.ts';
import type { ExportMapping } from './mapping.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An object's id in canonical form: UUIDs are case-insensitive, other ids are not. */
export function canonicalId(text: string): string {
  return uuid.test(text) ? text.toLowerCase() : text;
}

/**
 * A field's value in its canonical form: an IBAN, a phone or an account number without spaces and hyphens, a
 * customer's id in lower case. Other values stay unchanged.
 * @param kind the batch's kind; null for two files, whose fields are those of any kind
 */
export function canonicalValue(kind: Kind | null, field: string, text: string): string {
  const type = typeOf(kind, field);
  return type === undefined ? text : fieldTypes[type].canonical(text);
}

const types = new Map<string, FieldType | undefined>();

function typeOf(kind: Kind | null, field: string): FieldType | undefined {
  const name = `${kind ?? ''} ${field}`;
  if (!types.has(name)) {
    const rules = (kind === null ? kinds : [kind]).map((each) => ruleOf(each, field));
    types.set(name, rules.find((rule) => rule !== undefined)?.type);
  }
  return types.get(name);
}

/**
 * The natural key of a record as one text: the fields that a mapping names, else the natural key of the kind or payee
 * type without paybatch's reference, which is matched separately. Null when a part that such records have is empty.
 * @param values canonical values by field, and by role: `id`, `reference`, `amount`, `currency`, `date`
 */
export function naturalTextOf(
  values: NormalisedRecord,
  kind: Kind | null,
  naturalKey: readonly string[] | undefined,
): string | null {
  const referenceField = kind === null ? null : kindNamed(kind).referenceField;
  if (naturalKey !== undefined) {
    // An export has paybatch's reference by its role, whatever its column's title.
    return complete(
      naturalKey.map((field) => partOf(values, field === referenceField ? 'reference' : field)),
    );
  }
  if (kind === null) return null;
  const others = Object.fromEntries(Object.entries(values).filter(([field]) => field !== referenceField));
  const found = definitionsOf(kind).flatMap((definition) => ownKey(definition, others) ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}

function partOf(values: NormalisedRecord, field: string): string {
  const value = values[field] ?? '';
  return field === 'amount' ? canonicalAmount(value) : value;
}

/**
 * The natural key by one definition, for recipients by one payee type. An export without a column of payee types
 * shows the type by its other columns. Parts that no row of the type has (the bank of an IBAN) are not required.
 */
function ownKey(definition: ResourceDefinition, values: NormalisedRecord): string | null {
  const { payeeType, naturalKey } = definition;
  const stated = values['payee_type']?.toLowerCase();
  if (payeeType !== null && stated !== undefined && stated !== payeeType) return null;
  const key = naturalKey(payeeType === null ? values : { ...values, payee_type: payeeType });
  const possible = possibleParts(definition);
  return complete(key.filter((part, at) => part !== '' || possible[at] !== false));
}

const known = new Map<ResourceDefinition, readonly boolean[]>();

/** The parts of the natural key that a row can have. */
function possibleParts(definition: ResourceDefinition): readonly boolean[] {
  let parts = known.get(definition);
  if (parts === undefined) {
    const used = definition.rules.filter(({ presence }) => presence !== 'unused');
    const filled = Object.fromEntries(used.map(({ field }) => [field, field]));
    parts = definition.naturalKey(filled).map((part) => part !== '');
    known.set(definition, parts);
  }
  return parts;
}

function complete(parts: readonly string[]): string | null {
  return parts.length === 0 || parts.some((part) => part === '') ? null : JSON.stringify(parts);
}

/* paybatch's own rows in the form for a comparison: ids, references and canonical values. */

/** An own row that exists, or may exist, at the API, whatever its payee type. */
type OwnRow = Omit<OwnRecord, 'resource'>;

/** An own row: its id and reference, and its canonical values. */
interface OwnValues {
  readonly id: string | null;
  readonly reference: string | null;
  readonly values: NormalisedRecord;
  readonly day: string | null;
}

/** The values that were sent for a row, and the row's other values. */
export function ownValuesOf({ record, body, objectId, day }: OwnRow, kind: Kind): OwnValues {
  const { referenceField } = kindNamed(kind);
  const values = canonicalValues(kind, { ...record, ...sentValues(body) });
  const reference = referenceField === null ? null : (values[referenceField] ?? null);
  return { id: objectId === null ? null : canonicalId(objectId), reference, values, day };
}

/** Own rows in the form for comparing with an export: the sent values, and the row's other values. */
export async function* ownMatchRecords(
  groups: AsyncIterable<readonly OwnRow[]>,
  kind: Kind,
  mapping: ExportMapping,
  comparedFields: readonly string[],
): AsyncGenerator<readonly MatchRecord[]> {
  for await (const group of groups) {
    yield group.map((own): MatchRecord => {
      const { id, reference, values } = ownValuesOf(own, kind);
      const named: NormalisedRecord = {
        ...values,
        ...(id === null ? {} : { id }),
        ...(reference === null ? {} : { reference }),
        ...(own.day === null ? {} : { date: own.day }),
      };
      return {
        file: 0,
        row: own.row,
        id,
        reference,
        natural: naturalTextOf(named, kind, mapping.naturalKey),
        group: mapping.ourGroup === undefined ? null : (named[mapping.ourGroup] ?? null),
        amount: values['amount'] ?? null,
        currency: values['currency'] ?? null,
        day: own.day,
        fields: comparedFields.map((field) => values[field] ?? null),
        entry: null,
        text: null,
        counterparty: null,
        status: own.state === 'sending' ? 'unknown' : own.state,
        leftOut: null,
      };
    });
  }
}

function canonicalValues(kind: Kind, values: NormalisedRecord): NormalisedRecord {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      // Own amounts are already plain, and are shown as sent.
      field === 'amount' ? value : canonicalValue(kind, field, value),
    ]),
  );
}

/** The values of a request by name, including those of nested objects. */
function sentValues(body: Buffer | null): Record<string, string> {
  const values: Record<string, string> = {};
  const collect = (value: unknown, name: string): void => {
    if (typeof value === 'string') values[name] = value;
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, content] of Object.entries(value)) collect(content, inner);
    }
  };
  if (body !== null) collect(parsedJson(body.toString('utf8')), '');
  return values;
}
