import type { Kind } from '../../domain/batches/kind.ts';
import { shorten } from '../../resources/check/wording.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import { definitionsOf, normaliseHeader } from '../../resources/registry.ts';
import {
  type FieldColumn,
  fieldColumns,
  type Guess,
  nothingToSay,
  propose,
  type Sampled,
  translate,
} from './proposed-reading.ts';

/** What a column of payee types means; where there is none, what the columns that there are leave over. */
export function payeeTypeWriting(table: Sampled): Guess {
  const { kind, definitions } = table;
  if (definitionsOf(kind).every(({ payeeType }) => payeeType === null)) return nothingToSay;
  const columns = fieldColumns(table);
  const column = columns.find(({ field }) => field === 'payee_type');
  if (column !== undefined) return translations(kind, column);
  const [only, ...others] = definitions;
  if (only?.payeeType != null && others.length === 0)
    return propose(`All rows are ${only.payeeType}.`, { constants: { payee_type: only.payeeType } });
  const bank = columns.find(({ field }) => field === 'institution_name');
  if (bank === undefined || definitions.some(({ institution }) => institution === null)) return nothingToSay;
  return propose(`Whether a row is a bank account or mobile money follows from ${shorten(bank.title)}.`, {
    constants: { payee_type: { from: 'institution_name' } },
  });
}

function translations(kind: Kind, column: FieldColumn): Guess {
  const meaning = (value: string): string | undefined => payeeTypeLike(kind, value);
  const open = column.values
    .filter((value) => meaning(value) === undefined)
    .map((value) => `payee_type: what does ${shorten(value)} mean? State it under "values".`);
  return { readings: translate(column, meaning).readings, open };
}

/** The payee type that a value means, apart from case, spaces, hyphens and underscores. */
export function payeeTypeLike(kind: Kind, value: string): string | undefined {
  const types = definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
  return types.find((type) => normaliseHeader(type) === normaliseHeader(value));
}

/**
 * The payee types that rows can be of, by the columns that there are: where a column is one payee type's alone (an
 * IBAN, a routing number), the rows are of that; where there is none of these, they are of the others.
 */
export function possibleDefinitions(
  kind: Kind,
  isThere: (field: string) => boolean,
): readonly ResourceDefinition[] {
  const all = definitionsOf(kind);
  const withOwn = all.filter((definition) => ownFields(definition, all).length > 0);
  const named = withOwn.filter((definition) => ownFields(definition, all).some(isThere));
  const suiting = named.length > 0 ? named : all.filter((definition) => !withOwn.includes(definition));
  return suiting.length === 0 ? all : suiting;
}

/** The columns that a payee type cannot do without and all others refuse. */
function ownFields(definition: ResourceDefinition, all: readonly ResourceDefinition[]): readonly string[] {
  const others = all.filter((other) => other !== definition);
  if (others.length === 0) return [];
  return definition.rules
    .filter(
      ({ field, presence, orElse }) =>
        presence === 'required' &&
        orElse === undefined &&
        others.every(({ rules }) => rules.some((rule) => rule.field === field && rule.presence === 'unused')),
    )
    .map(({ field }) => field);
}
