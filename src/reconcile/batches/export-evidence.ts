/* How an export without a mapping is read: as is remembered for its header, else by the evidence of its columns. */

import type { BatchRecord, Kind } from '../../domain/batches/batch.ts';
import type { ListedExport } from '../../domain/tables/mapping.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { definitionsOf, kindNamed } from '../../kinds/registry.ts';
import { naturalKeyOf } from '../../kinds/request.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { exportVocabulary } from '../../propose/export-columns.ts';
import { type ExportReading, proposeExport } from '../../propose/export-reading.ts';
import type { Grid, GridRow } from '../../propose/grid.ts';
import type { OwnFacts } from '../../propose/own-rows.ts';
import { titleScores } from '../../propose/title-words.ts';
import { rememberedNote } from '../../read/sources/remembered-mappings.ts';
import { ownValuesOf } from '../comparing/own-records.ts';
import { parseExportMapping } from '../export/mapping.ts';
import type { FoundReading, TableReader, UnknownTable } from '../export/open-files.ts';
import { canonicalId } from '../export/values.ts';
import { exportMappingFor } from '../remembered-exports.ts';

/** How many rows are read to find out what the columns of an export are. */
const rowsLookedAt = 2_000;

/** The first rows of an export, with its header above them. */
export async function gridOfExport({ header, rows }: Omit<UnknownTable, 'name'>): Promise<Grid> {
  const found: GridRow[] = [{ number: 0, cells: header }];
  for await (const group of rows()) {
    found.push(...group.slice(0, rowsLookedAt + 1 - found.length));
    if (found.length > rowsLookedAt) break;
  }
  return {
    sheet: null,
    isHidden: false,
    rows: found,
    isCut: found.length > rowsLookedAt,
    allRows: found.length,
    titles: async () => header.map(unprotectCell),
  };
}

/** Our own rows of a batch, for those that an export names. */
export function ownFactsOf(verbs: Pick<LedgerVerbs, 'findOwnRecords'>, batch: BatchRecord): OwnFacts {
  const { kind } = batch;
  const { referenceField } = kindNamed(kind);
  const [definition] = definitionsOf(kind);
  const keyOf = (text: string): Buffer[] =>
    referenceField === null || definition === undefined
      ? []
      : [naturalKeyOf(definition, { [referenceField]: text })];
  return {
    find: async (texts) => {
      const found = await verbs.findOwnRecords(batch, texts.map(canonicalId), texts.flatMap(keyOf));
      return found.map((own) => ownValuesOf(own, kind));
    },
  };
}

/** Titles of one of our columns, in other words, by which a row of cells is known for a header. */
const titlesNeeded = 2;
const knownTitle = 0.6;

/**
 * Reads the tables of exports as is remembered for their header, else by the evidence of their columns.
 * @param own null where the batch is not known
 */
export function evidenceReader(
  kind: Kind | null,
  own: OwnFacts | null,
  remembered: readonly ListedExport[] = [],
): TableReader {
  const vocabulary = exportVocabulary(kind);
  const isTitle = (cell: string): boolean =>
    /\p{L}/u.test(cell) && [...titleScores(vocabulary, cell).values()].some((score) => score >= knownTitle);
  return {
    isHeader: (cells) => cells.filter(isTitle).length >= titlesNeeded,
    find: async (table, isKnown) => {
      const known = exportMappingFor(table.header.map(unprotectCell), remembered);
      if (known !== null) {
        const remarks = [rememberedNote(table.name, known.name)];
        return { mapping: known.mapping, source: 'mapping', remarks };
      }
      if (isKnown) return null;
      const proposing = { grid: await gridOfExport(table), kind, own };
      return foundIn(table.name, await proposeExport(proposing, new Map()));
    },
  };
}

function foundIn(name: string, { certain }: ExportReading): FoundReading | null {
  const { columns, constants, minorUnits } = certain;
  if (Object.keys(columns).length === 0) return null;
  const hasAmount = Object.values(columns).some((field) => ['amount', 'credit', 'debit'].includes(field));
  return {
    mapping: parseExportMapping(JSON.stringify(certain), name),
    source: 'values',
    remarks: [
      ...(constants === undefined
        ? []
        : [`${name}: no column is the currency; its amounts are taken for ${constants.currency}.`]),
      ...(minorUnits === true && hasAmount
        ? [`${name}: its amounts are read as whole numbers of the smallest unit of their currency.`]
        : []),
    ],
  };
}
