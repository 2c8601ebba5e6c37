import type { Kind } from '../../domain/batches/kind.ts';
import { unprotectCell } from '../../domain/tables/formula-cell.ts';
import { kinds } from '../../resources/registry.ts';
import type { SourceTable } from '../ports.ts';
import { isNamed } from './column-guess.ts';
import { detectKind } from './table-mapping.ts';

/** Whether a row of cells looks like a header, also one of other people's names for our columns. */
export function looksLikeAnyHeader(cells: readonly string[]): boolean {
  const titles = cells.map(unprotectCell).filter((cell) => cell.trim() !== '');
  return (
    titles.length > 1 &&
    kinds.some((kind) => titles.filter((title) => isNamed(kind, title)).length * 2 > titles.length)
  );
}

/**
 * The kind that a table is of: what a validation would say, else the one whose columns the header has most names
 * of. Where several have as many, the one with most names that only it has; undefined when that is none either.
 */
export function likeliestKind(table: Pick<SourceTable, 'sheet' | 'header'>): Kind | undefined {
  const detected = detectKind(table, {});
  if (detected !== undefined) return detected;
  const named = table.header.filter((title) => title !== '');
  const most = kindsWithMost((kind) => named.filter((title) => isNamed(kind, title)).length, kinds);
  const [best, second] = kindsWithMost(
    (kind) => named.filter((title) => isNamedOnlyIn(kind, title)).length,
    most,
  );
  return second === undefined ? best : undefined;
}

/** The kinds of the highest score, if that is more than zero. */
function kindsWithMost(scoreOf: (kind: Kind) => number, among: readonly Kind[]): Kind[] {
  if (among.length < 2) return [...among];
  const highest = Math.max(...among.map(scoreOf));
  return highest === 0 ? [] : among.filter((kind) => scoreOf(kind) === highest);
}

function isNamedOnlyIn(kind: Kind, title: string): boolean {
  return kinds.every((other) => isNamed(other, title) === (other === kind));
}
