import type { Kind } from '../../domain/kind.ts';
import { shorten } from '../../resources/check/wording.ts';
import type { FieldType } from '../../resources/definition.ts';
import { definitionsOf, normaliseHeader, ruleOf } from '../../resources/registry.ts';
import type { ColumnProposal } from './column-guess.ts';
import type { MappingFile } from './mapping-file.ts';
import { dateFormatOf, numberStyleOf } from './value-look.ts';

/** What a proposal says of one side of the writing, and what it leaves to a person. */
export interface Writing {
  readonly mapping: MappingFile;
  readonly open: readonly string[];
}

/** The values of a field's column, each once. */
type ValuesOf = (field: string) => readonly string[];

const nothingToSay: Writing = { mapping: {}, open: [] };

/** How dates, amounts and payee types are written, where that is not as paybatch reads them by itself. */
export function writingOf(kind: Kind, columns: readonly ColumnProposal[], valuesOf: ValuesOf): Writing {
  const parts = [
    dateWriting(columnOfType(kind, columns, 'birth_date'), valuesOf),
    amountWriting(columnOfType(kind, columns, 'amount'), valuesOf),
    payeeTypeWriting(kind, valuesOf('payee_type')),
  ];
  return {
    mapping: Object.assign({}, ...parts.map(({ mapping }) => mapping)),
    open: parts.flatMap((part) => part.open),
  };
}

function columnOfType(
  kind: Kind,
  columns: readonly ColumnProposal[],
  type: FieldType,
): ColumnProposal | undefined {
  return columns.find(({ field }) => field !== null && ruleOf(kind, field)?.type === type);
}

function dateWriting(column: ColumnProposal | undefined, valuesOf: ValuesOf): Writing {
  if (column === undefined) return nothingToSay;
  const place = shorten(column.title);
  const stated = /\b(?:DD?([./-])MM?|MM?([./-])DD?)[./-]YYYY\b/.exec(column.title.toUpperCase())?.[0];
  const format = stated ?? dateFormatOf(valuesOf(column.field ?? ''));
  switch (format) {
    case 'YYYY-MM-DD':
      return nothingToSay;
    case 'unclear':
      return question(
        `${place}: which comes first, day or month? State it as "dateFormat": "DD/MM/YYYY" or "MM/DD/YYYY", with the separator of the file.`,
      );
    case null:
      return question(`${place}: the dates are not all written in one way that is known.`);
    default:
      return { mapping: { dateFormat: format }, open: [] };
  }
}

function amountWriting(column: ColumnProposal | undefined, valuesOf: ValuesOf): Writing {
  if (column === undefined) return nothingToSay;
  const place = shorten(column.title);
  const style = numberStyleOf(valuesOf(column.field ?? ''));
  switch (style) {
    case 'unclear':
      return question(
        `${place}: does the sign before three digits stand between thousands, or before decimals? State "decimal" and "thousands".`,
      );
    case null:
      return question(`${place}: the amounts are not all written in one way that is known.`);
    default: {
      const { decimal, thousands } = style;
      const mapping = { ...(decimal === '.' ? {} : { decimal }), ...(thousands === '' ? {} : { thousands }) };
      return { mapping, open: [] };
    }
  }
}

function payeeTypeWriting(kind: Kind, values: readonly string[]): Writing {
  const meant = values.map((value) => ({ value, type: payeeTypeLike(kind, value) }));
  const translations = meant.flatMap(({ value, type }) =>
    type === undefined || type === value ? [] : [[value, type] as const],
  );
  return {
    mapping: translations.length === 0 ? {} : { values: { payee_type: Object.fromEntries(translations) } },
    open: meant
      .filter(({ type }) => type === undefined)
      .map(({ value }) => `payee_type: what does ${shorten(value)} mean? State it under "values".`),
  };
}

function question(text: string): Writing {
  return { mapping: {}, open: [text] };
}

/** The payee type that a value means, apart from case, spaces, hyphens and underscores. */
export function payeeTypeLike(kind: Kind, value: string): string | undefined {
  const types = definitionsOf(kind).flatMap(({ payeeType }) => (payeeType === null ? [] : [payeeType]));
  return types.find((type) => normaliseHeader(type) === normaliseHeader(value));
}
