import type { BatchRequest } from '../../engine/reconciling/request.ts';
import { reconcileUsage } from '../../engine/reconciling/usage.ts';
import type { App } from '../command/app.ts';
import { type Arguments, type Command, textOf, textsOf } from '../command/command.ts';
import type { CommandEnd } from '../json/document.ts';
import { comparisonDocument, reconciliationDocument } from '../json/reconciliation-document.ts';
import { printComparedFiles, printReconciliation } from '../printing/reconciliation.ts';
import { boundHeapGrowth } from '../terminal/heap-growth.ts';

export const reconcileCommand: Command = {
  work: (app, parsed) => {
    requireSuitingOptions(parsed);
    boundHeapGrowth();
    return has(parsed, 'left') || has(parsed, 'right')
      ? compareSides(app, parsed)
      : reconcileBatch(app, parsed);
  },
};

/** How a batch is compared, and nothing without an export. */
const comparing = ['covers-from', 'covers-to', 'grace-days', 'tolerance', 'tolerance-days'];

/** What makes no sense beside two files that are compared without a ledger. */
const aboutBatch = ['batch', 'export', 'against', 'source', 'source-mapping', 'replay'];

function has(parsed: Arguments, name: string): boolean {
  const value = parsed[name];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** An option that would do nothing is a mistake, and whoever made it would wait for what it does. */
function requireSuitingOptions(parsed: Arguments): void {
  const isAboutFiles = has(parsed, 'left') || has(parsed, 'right');
  const stray = aboutBatch.find((name) => has(parsed, name));
  if (isAboutFiles && stray !== undefined) {
    const shown = stray === 'batch' || stray === 'export' ? textsIn(parsed, stray) : `--${stray}`;
    throw reconcileUsage(
      `--left and --right compare two files without a ledger; ${shown} does not go with them.`,
    );
  }
  if (isAboutFiles || has(parsed, 'against')) return;
  if (has(parsed, 'export'))
    throw reconcileUsage(`${textsIn(parsed, 'export')}: exports are named with --against.`);
  const idle = comparing.find((name) => has(parsed, name));
  if (idle !== undefined)
    throw reconcileUsage(`--${idle} says how to compare with an export; there is no --against.`);
}

function textsIn(parsed: Arguments, name: string): string {
  return textOf(parsed, name) ?? textsOf(parsed, name).join(', ');
}

async function compareSides(app: App, parsed: Arguments): Promise<CommandEnd> {
  const [left, right] = [textsOf(parsed, 'left'), textsOf(parsed, 'right')];
  const result = await app.engine.compare({ left, right, rules: rulesIn(parsed) }, app.call).result;
  printComparedFiles(app, result);
  return { ...result, document: comparisonDocument(result) };
}

async function reconcileBatch(app: App, parsed: Arguments): Promise<CommandEnd> {
  const batch = textOf(parsed, 'batch');
  if (batch === undefined) throw reconcileUsage('Which batch? Or give --left and --right.');
  const request: BatchRequest = {
    batch,
    // A shell puts those after the first behind the option.
    against: [...textsOf(parsed, 'against'), ...textsOf(parsed, 'export')],
    rules: rulesIn(parsed),
    source: textOf(parsed, 'source'),
    sourceMapping: textOf(parsed, 'source-mapping'),
    replay: parsed['replay'] === true,
  };
  const result = await app.engine.reconcile(request, app.call).result;
  printReconciliation(app, result);
  return { ...result, document: reconciliationDocument(result) };
}

function rulesIn(parsed: Arguments): BatchRequest['rules'] {
  return {
    coversFrom: textOf(parsed, 'covers-from'),
    coversTo: textOf(parsed, 'covers-to'),
    tolerances: textsOf(parsed, 'tolerance'),
    toleranceDays: textOf(parsed, 'tolerance-days'),
    graceDays: textOf(parsed, 'grace-days'),
  };
}
