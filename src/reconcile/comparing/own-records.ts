/* paybatch's own rows in the form for a comparison: ids, references and canonical values. */

import type { Kind } from '../../domain/batches/batch.ts';
import type { NormalisedRecord } from '../../domain/rows/ledger-row.ts';
import { parsedJson } from '../../domain/sending/answer.ts';
import { kindNamed } from '../../kinds/registry.ts';
import type { OwnRecord } from '../../ledger/after-sending/evidence.ts';
import type { ExportMapping } from '../export/mapping.ts';
import { canonicalId, canonicalValue, naturalTextOf } from '../export/values.ts';
import type { MatchRecord } from '../matching/records.ts';

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
