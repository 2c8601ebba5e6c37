/* The use of each column of an export, by its title, its values and paybatch's own rows. */

import type { Kind } from '../../domain/batches/batch.ts';
import { hasLetters } from '../../domain/text/characters.ts';
import type { FieldRule } from '../../kinds/definition.ts';
import { exportRoles, roleForHeader, roleRules } from '../../kinds/export-roles.ts';
import { fieldTypes } from '../../kinds/fields/field-types.ts';
import { columnsOf, fieldForHeader, kindNamed, ruleOf } from '../../kinds/registry.ts';
import { type Candidate, chosen, least, type Use, useOf, weighEvidence } from '../columns/column-use.ts';
import { amountLikeness, codeLikeness, isRunning, nothingKnown, valueScore } from '../columns/evidence.ts';
import type { DecidedColumns } from '../decisions.ts';
import { type Column, share } from '../sheet/column.ts';
import type { Sheet } from '../sheet/sheet.ts';
import { isBesideAmount, titleScores, type Vocabulary } from '../sheet/title-words.ts';
import type { OwnEvidence } from './own-rows.ts';

/** The proposed use of an export's columns. */
export interface ExportPlacement {
  readonly uses: readonly Use[];
  /** The columns whose use is certain without a person's decision. */
  readonly sure: ReadonlySet<Column>;
}

type NamedRule = Pick<FieldRule, 'field' | 'type' | 'description'> & Pick<FieldRule, 'synonyms'>;

interface ExportVocabulary extends Vocabulary {
  readonly fields: readonly NamedRule[];
}

/** The possible uses of an export's column, by the batch's kind; only roles if the kind is not known. */
export function exportVocabulary(kind: Kind | null): ExportVocabulary {
  const special = new Set<string>([
    ...exportRoles,
    ...(kind === null ? [] : [kindNamed(kind).referenceField ?? '']),
  ]);
  const own = kind === null ? [] : columnsOf(kind).filter((field) => !special.has(field));
  const rules = own.flatMap((field): NamedRule[] => {
    const rule = kind === null ? undefined : ruleOf(kind, field);
    return rule === undefined ? [] : [{ ...rule, field }];
  });
  return {
    name: `export of ${kind ?? 'anything'}`,
    fields: [...roleRules, ...rules],
    ownField: (title) => {
      const field = roleForHeader(title) ?? (kind === null ? undefined : fieldForHeader(kind, title));
      return field !== undefined && kind !== null && field === kindNamed(kind).referenceField
        ? 'reference'
        : field;
    },
  };
}

/** With fewer matching cells, they prove nothing by themselves. */
const fewCells = 3;
/** The share of cells that must match for the column to be the field. Amounts match by chance least often. */
const mostAgree = 0.8;
const halfAgree = 0.5;
/** With enough cells, a lower share shows that the column is not this field. */
const hardlyAny = 0.1;
const enoughCells = 5;

/** The evidence for a column's field. */
interface Weighed {
  readonly word: number;
  readonly score: number;
  /** Whether paybatch's own rows prove it. */
  readonly isProven: boolean;
}

/** Finds the use of each column of an export. @param own null if the batch is not known */
export function placeExportColumns(
  { columns }: Sheet,
  kind: Kind | null,
  own: OwnEvidence | null,
  decided: DecidedColumns,
): ExportPlacement {
  const vocabulary = exportVocabulary(kind);
  const proven = new Map<Column, Set<string>>();
  const candidates = columns.flatMap((column) => {
    const words = titleScores(vocabulary, column.title);
    return vocabulary.fields.flatMap((rule): Candidate[] => {
      const { word, score, isProven } = weigh(column, rule, words.get(rule.field) ?? 0, own);
      if (score < least) return [];
      if (isProven) proven.set(column, (proven.get(column) ?? new Set()).add(rule.field));
      return [{ field: rule.field, column, word, score }];
    });
  });
  const taken = withMovements(columns, chosen(columns, candidates, decided));
  const uses = columns.map((column) => useOf(column, taken, candidates, decided));
  const isProven = ({ column, fields: [field = ''] }: Use): boolean =>
    proven.get(column)?.has(field) === true;
  const isSure = (use: Use): boolean => {
    const [field] = use.fields;
    if (field === undefined) return false;
    if (use.evidence === 'decided' || vocabulary.ownField(use.column.title) === field || isProven(use))
      return true;
    const isKnownTitle = use.evidence === 'name_and_values' && use.score >= surely;
    return isKnownTitle && use.rival === undefined && !needsProof.has(field);
  };
  return { uses, sure: new Set(uses.filter(isSure).map(({ column }) => column)) };
}

/** From this score on, a known title with fitting values is enough. */
const surely = 0.7;

/**
 * Uses that a title alone does not prove. Bookings have their own dates, and the title of a text does not show whose
 * reference the text holds.
 */
const needsProof: ReadonlySet<string> = new Set(['date', 'text']);

function weigh(column: Column, rule: NamedRule, word: number, own: OwnEvidence | null): Weighed {
  const nothing = { word, score: 0, isProven: false };
  // Movements are recognised by their titles, because the values of a credit look like those of an amount.
  if ((rule.field === 'credit' || rule.field === 'debit') && word < 0.6) return nothing;
  if (column.cells.length === 0) return word === 1 ? { ...nothing, score: 1 } : nothing;
  const { agreement, isPresent } = proofOf(column, rule, own);
  const needed = rule.type === 'amount' ? halfAgree : mostAgree;
  if (agreement.cells > 0 && agreement.share >= needed) {
    const isProven = agreement.cells >= fewCells || word >= 0.4;
    return { word, score: 0.75 + 0.25 * agreement.share + 0.1 * word, isProven };
  }
  // A title that paybatch itself uses means that field. The comparison shows what the column holds.
  if (word === 1) return { ...nothing, score: isPresent === false ? 0.6 : 1 };
  if (!isRole(rule) || (rule.field === 'amount' && isBesideAmount(column.title))) return nothing;
  const value = roleScore(column, rule);
  const score = weighEvidence(word, value, rule.field === 'id' || rule.field === 'currency');
  const isRefuted = isPresent === false || (agreement.cells >= enoughCells && agreement.share < hardlyAny);
  return { ...nothing, score: isRefuted ? score * 0.6 : score };
}

function isRole({ field }: NamedRule): boolean {
  return (exportRoles as readonly string[]).includes(field);
}

const none = { share: 0, cells: 0 };

/** The evidence of paybatch's own rows for a column. `isPresent` is undefined if they show nothing. */
function proofOf(
  column: Column,
  { field, type }: NamedRule,
  own: OwnEvidence | null,
): { readonly agreement: { readonly share: number; readonly cells: number }; readonly isPresent?: boolean } {
  if (own === null || !own.hasPairs) return { agreement: none };
  const named = (found: number): ReturnType<typeof proofOf> =>
    // Exports also hold objects of other batches, so it is enough if a part of the values match.
    ({
      agreement: found >= someNamed ? { share: 1, cells: column.cells.length } : none,
      isPresent: found > 0,
    });
  switch (field) {
    case 'id':
      return named(own.ids(column));
    case 'reference':
      return named(own.references(column));
    case 'text':
      return named(own.mentions(column));
    case 'amount':
    case 'credit':
      return { agreement: own.amounts(column) };
    case 'date':
      return { agreement: own.days(column) };
    case 'debit':
      return { agreement: none };
    default:
      return { agreement: own.field(column, field, fieldTypes[type].canonical) };
  }
}

/** The share of known values that makes a column one of paybatch's ids or references. */
const someNamed = 0.2;

/** How well the values fit a role, from 0 to 1. */
function roleScore(column: Column, { field, type }: NamedRule): number {
  switch (field) {
    case 'id':
      return Math.max(valueScore(column, { field, type: 'uuid' }, nothingKnown), 0.6 * codeLikeness(column));
    case 'reference':
      return codeLikeness(column);
    case 'amount':
    case 'credit':
    case 'debit':
      return isRunning(column) ? 0 : amountLikeness(column);
    case 'date':
      return dayLikeness(column);
    case 'text':
      return share(column, (text) => hasLetters(text, 3) && text.length > 5);
    default:
      return valueScore(column, { field, type }, nothingKnown);
  }
}

/** The share of values that begin with a date, in any order of its parts. */
function dayLikeness(column: Column): number {
  const days = column.cells.filter(
    ({ text, isDate }) => isDate || /^\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?:\D|$)/.test(text),
  );
  return days.length / column.cells.length;
}

/** Finds two columns of amounts, one for credits and one for debits, of which each row fills in exactly one. */
function withMovements(
  columns: readonly Column[],
  taken: ReadonlyMap<Column, Candidate>,
): ReadonlyMap<Column, Candidate> {
  const placed = (field: string): Candidate | undefined =>
    [...taken.values()].find((candidate) => candidate.field === field);
  const [amount, debit] = [placed('amount'), placed('debit')];
  const credit = placed('credit') ?? amount;
  const isTwofold = credit !== undefined && debit !== undefined && areMovements(credit.column, debit.column);
  return new Map(
    columns.flatMap((column): [Column, Candidate][] => {
      const own = taken.get(column);
      if (own === undefined) return [];
      if (!isTwofold) return ['credit', 'debit'].includes(own.field) ? asOnly(own, amount) : [[column, own]];
      // A column of amounts beside two movement columns has their difference, or the balance.
      if (own === amount && own !== credit) return [];
      return [[column, own === credit ? { ...own, field: 'credit' } : own]];
    }),
  );
}

/** A single column of credits is the amount if there is no other amount. A single column of debits is not used. */
function asOnly(own: Candidate, amount: Candidate | undefined): [Column, Candidate][] {
  return own.field === 'credit' && amount === undefined ? [[own.column, { ...own, field: 'amount' }]] : [];
}

function areMovements(credit: Column, debit: Column): boolean {
  if (credit === debit) return false;
  const filled = ({ cells }: Column): Set<number> =>
    new Set(cells.flatMap(({ text, row }) => (/[1-9]/.test(text) ? [row] : [])));
  const [left, right] = [filled(credit), filled(debit)];
  const both = [...left].filter((row) => right.has(row)).length;
  return both * 10 <= Math.min(left.size, right.size) || both === 0;
}
