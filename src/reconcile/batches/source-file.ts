/* Opens the source file of a batch as it was imported, to read it again. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import type { BatchRecord, OriginalBatch } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import { unprotectCell } from '../../domain/tables/table.ts';
import { createRowChecker } from '../../kinds/fields/row-checker.ts';
import type { RowChecker } from '../../kinds/row-check.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readingRulesOf } from '../../read/mapping/mapping-file.ts';
import { type InputTable, namedInput } from '../../read/rows/input-table.ts';
import { openInputs } from '../../read/sources/inputs.ts';
import { headerKeyOf } from '../../read/sources/remembered-mappings.ts';
import { readRules } from '../../read/sources/stated-reading.ts';
import type { AccountedSource } from '../account.ts';
import { type BatchRequest, reconcileUsage } from './reconciliation.ts';

/** A batch's opened source file, if there is one. */
export interface OpenedSource {
  readonly source: AccountedSource | null;
  /** Why there is no source file. */
  readonly note: Message;
  readonly close: () => Promise<void>;
}

/**
 * Opens the file that a batch was imported from: the one that `source` names, or one of its name in this folder. Only
 * a file named by `source` must be the right one.
 * @throws PaybatchError for a named file that is missing, is refused, or is not the source
 */
export async function openSource(
  app: CallContext,
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  request: BatchRequest,
  batch: BatchRecord,
): Promise<OpenedSource> {
  const named = request.source;
  const path = named ?? batch.fileName;
  if (path === '-' || !existsSync(path)) {
    if (named !== undefined) throw reconcileUsage(`There is no file ${named}.`);
    return noSource(say`it is not in this folder; name it with ${{ setting: 'source' }}.`);
  }
  const original = await verbs.findOriginalBatch(batch.id);
  const stated = app.settings.reading;
  // With an export to compare, `mapping` applies to the export, and only `sourceMapping` to the source.
  const mapping = request.sourceMapping ?? (request.against.length === 0 ? stated.mapping : undefined);
  const hidden = original?.reading.hiddenChoice ?? undefined;
  const reading = { ...stated, kind: batch.kind, mapping, sheet: batch.sheet ?? undefined, hidden };
  const call = {
    settings: { ...app.settings, reading },
    rules: readRules(stated.rules),
    remembered: mapping === undefined ? asRead(original) : [],
    findOriginalBatch: verbs.findOriginalBatch,
  };
  try {
    return await openAsImported(app, path, call, batch);
  } catch (error) {
    if (named !== undefined || !(error instanceof PaybatchError)) throw error;
    return noSource(error.said);
  }
}

function noSource(note: Message): OpenedSource {
  return { source: null, note, close: async () => {} };
}

/** The mapping that a batch was read with, which may be a remembered one. */
function asRead(original: OriginalBatch | undefined): RememberedMapping[] {
  const mapping = original?.reading.mapping ?? '{}';
  if (original === undefined || mapping === '{}') return [];
  const { header, kind, fileName: name } = original;
  return [{ headerKey: headerKeyOf(header), header, name, kind, mapping }];
}

async function openAsImported(
  app: CallContext,
  path: string,
  call: Parameters<typeof openInputs>[1],
  batch: BatchRecord,
): Promise<OpenedSource> {
  const inputs = await openInputs([path], call);
  const inputTable = inputs.inputTables.find((each) => namedInput(each).sheet === batch.sheet);
  const problem = sourceProblem(basename(path), inputTable, batch);
  if (inputTable === undefined || problem !== null) {
    await inputs.close();
    throw new PaybatchError('source_differs', problem ?? '', null);
  }
  const checker = createRowChecker({
    mapping: inputTable.mapping,
    reading: readingRulesOf(inputTable.reading),
    today: app.clock.now().toISOString().slice(0, 10),
    headerWidth: inputTable.table.header.length,
    rules: inputTable.rules,
  });
  return { source: accountedSource(inputTable, checker), note: '', close: inputs.close };
}

/**
 * Whether a table is the one that a batch was imported from, read in the same way.
 * @returns null when it is, else a sentence that says why not
 */
function sourceProblem(name: string, inputTable: InputTable | undefined, batch: BatchRecord): Message | null {
  if (inputTable === undefined || inputTable.contentHash !== batch.contentHash) {
    return `${name} is not the file that was imported: its content is another one.`;
  }
  if (inputTable.readingHash === batch.readingHash) return null;
  return say`it was imported with another mapping, delimiter or encoding: give ${{ setting: 'sourceMapping' }}.`;
}

/** The rows of a batch's source file, with the amounts that validation reads from them. */
function accountedSource({ table }: InputTable, checker: RowChecker): AccountedSource {
  return {
    rows: table.rows,
    read: (row) => {
      const cells = row.cells.map((cell, at) => (row.kinds?.has(at) ? cell : unprotectCell(cell)));
      const checked = checker.checkFields({ ...row, cells });
      const { amount, currency } = checked.record;
      return {
        sum: amount === undefined || currency === undefined ? null : { amount, currency },
        keptCells: checker.keptCells({ ...row, cells }, checked),
      };
    },
  };
}
