import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { type Kind, kinds } from '../domain/kind.ts';
import { createNameSearch } from '../domain/similar-names.ts';
import { shorten } from '../resources/check/wording.ts';
import { fieldForHeader } from '../resources/registry.ts';
import { isSameTitle, type MappingFile } from './mapping-file.ts';
import { leastSimilarity } from './table-mapping.ts';

/** A table of a call, as far as a mapping is about it. */
export interface MappedTable {
  readonly kind: Kind;
  readonly header: readonly string[];
}

/**
 * Refuses what a mapping says about none of a call's tables: a column that no file has under that name, or a
 * constant or translation for a column that none of the kinds has. It would otherwise be lost without a word.
 *
 * @throws Failure (exit 3)
 */
export function refuseUnusedMapping(mapping: MappingFile, tables: readonly MappedTable[]): void {
  for (const [title, target] of Object.entries(mapping.columns ?? {})) {
    const known = tables.filter(({ kind }) => fieldForHeader(kind, target) !== undefined);
    if (known.some(({ header }) => header.some((other) => isSameTitle(other, title)))) continue;
    throw unusedColumn(title, target, tables, known.length === 0);
  }
  for (const section of ['constants', 'values'] as const) {
    for (const field of Object.keys(mapping[section] ?? {})) {
      if (tables.some(({ kind }) => fieldForHeader(kind, field) !== undefined)) continue;
      throw unused(
        `The mapping has ${section} for "${field}", which ${kindsOf(tables)} do not have.`,
        `take it out of "${section}", or name the file that it is for too`,
      );
    }
  }
}

/** The kinds of a call, for a sentence: `customers and recipients`. */
function kindsOf(tables: readonly MappedTable[]): string {
  return kinds.filter((kind) => tables.some((table) => table.kind === kind)).join(' and ');
}

function unusedColumn(
  title: string,
  target: string,
  tables: readonly MappedTable[],
  isOfOtherKind: boolean,
): Failure {
  const reads = `The mapping reads ${shorten(title)} as ${target}`;
  if (isOfOtherKind) {
    return unused(
      `${reads}, which ${kindsOf(tables)} do not have.`,
      'take it out of "columns", or name the file that it is for too',
    );
  }
  const titles = tables.flatMap(({ header }) => header).filter((other) => other !== '');
  const [nearest] = createNameSearch([...new Set(titles)])(title, 1, leastSimilarity);
  const hint = nearest === undefined ? '' : ` The nearest is ${shorten(nearest)}.`;
  return unused(
    `${reads}, but no header has such a column.${hint}`,
    'correct the name under "columns" in the --mapping, or take it out',
  );
}

function unused(message: string, next: string): Failure {
  return new Failure(exitCodes.fileRefused, 'mapping_unused', message, next);
}
