import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { readingRulesOf } from '../../pipeline/mapping/mapping-file.ts';
import { mapTable } from '../../pipeline/mapping/table-mapping.ts';
import type { ClockPort } from '../../pipeline/ports.ts';
import { createRowChecker } from '../../resources/check/row-checker.ts';
import type { RowChecker } from '../../resources/definition.ts';
import { keptMapping, keptRules } from './readings.ts';

/**
 * The check of a batch's cells in the way in which its file was read.
 * @throws PaybatchError (`file_refused`) when the ledger does not know that way
 */
export async function openBatchChecker(
  verbs: Pick<LedgerVerbs, 'findOriginalBatch'>,
  batchId: string,
  clock: ClockPort,
): Promise<RowChecker> {
  const first = await verbs.findOriginalBatch(batchId);
  if (first === undefined) throw new Error(`batch ${batchId} is not staged to its end`);
  const { kind, header, fileName } = first;
  const [mapping, rules] = [keptMapping(first, fileName), keptRules(first)];
  return createRowChecker({
    mapping: mapTable(first, { kind, mapping, rules, fileName }),
    reading: readingRulesOf(mapping),
    today: clock.now().toISOString().slice(0, 10),
    headerWidth: header.length,
    rules,
  });
}
