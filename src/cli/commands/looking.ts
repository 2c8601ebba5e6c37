/* The commands that show batches, account for them, and record a person's decisions. */

import { acceptableKinds } from '../../domain/batches/difference-decisions.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { countOf } from '../../domain/money/money.ts';
import { isVerdict, verdicts } from '../../domain/rows/ledger-row.ts';
import type { ReconcileEnd } from '../../engine/reconcile.ts';
import type { ResolveRequest } from '../../engine/resolve.ts';
import { type BatchRequest, breakLinesOf, reconcileUsage } from '../../reconcile/batches/reconciliation.ts';
import {
  type App,
  type Arguments,
  type Command,
  printBatches,
  textOf,
  textsOf,
  usageError,
} from '../command/command.ts';
import {
  closeDocument,
  comparisonDocument,
  reconciliationDocument,
  selectionDocument,
} from '../json/controls.ts';
import type { CommandEnd } from '../json/document.ts';
import { boundHeapGrowth } from '../terminal/process.ts';
import { comparisonSummary, fileLines, firstLines, reconciliationText } from '../views/reconciliation.ts';

export const resultsCommand: Command = async (app, parsed) => {
  boundHeapGrowth();
  const result = await app.engine.results({ batch: textOf(parsed, 'batch') ?? '' }, app.call).result;
  printBatches(app, result);
  return result;
};

export const recoverCommand: Command = async (app, parsed) => {
  boundHeapGrowth();
  const [file, logs] = [textOf(parsed, 'file') ?? '', textsOf(parsed, 'log')];
  const request = { file, logs, holdRest: parsed['hold-rest'] === true };
  const result = await app.engine.recover(request, app.call).result;
  printBatches(app, result);
  return result;
};

export const resolveCommand: Command = async (app, parsed) => {
  boundHeapGrowth();
  const request = { batch: textOf(parsed, 'batch') ?? '', verdicts: verdictsIn(parsed) };
  const result = await app.engine.resolve(request, app.call).result;
  printBatches(app, result);
  if (result.failure === null)
    app.terminal.print(`Recorded ${countOf(result.recorded, 'verdict')}. Nothing was sent.`);
  const { selection } = result;
  return selection === null
    ? result
    : { ...result, document: selectionDocument(result, selection, app.words) };
};

export const closeCommand: Command = async (app, parsed) => {
  boundHeapGrowth();
  const request = { batch: textOf(parsed, 'batch') ?? '', note: textOf(parsed, 'note') ?? '' };
  const result = await app.engine.closeBatch(request, app.call).result;
  const rows = countOf(result.closedRows, 'row');
  printBatches(app, result);
  app.terminal.print(
    result.isNew
      ? `Closed: ${rows} that had not been sent. Nothing was sent.`
      : 'The batch was closed before. Nothing was changed.',
  );
  return { ...result, document: closeDocument(result, app.words) };
};

function verdictsIn(parsed: Arguments): ResolveRequest['verdicts'] {
  const file = textOf(parsed, 'file');
  const where = textOf(parsed, 'where');
  if (where !== undefined) return verdictForMany(where, parsed);
  if (textOf(parsed, 'selection') !== undefined)
    throw usageError('resolve', '--selection goes with --where only.');
  const [row, as] = [textOf(parsed, 'row'), textOf(parsed, 'as')];
  if (file === undefined) return oneVerdict(row, as, parsed);
  const ofOneRow = ['row', 'as', 'id', 'attempts'];
  if (ofOneRow.some((name) => textOf(parsed, name) !== undefined)) {
    throw usageError('resolve', '--file and a verdict on one row exclude each other.');
  }
  return { file };
}

function verdictForMany(where: string, parsed: Arguments): ResolveRequest['verdicts'] {
  const stray = ['row', 'file', 'id', 'attempts'].find((name) => textOf(parsed, name) !== undefined);
  if (stray !== undefined) throw usageError('resolve', `--where and --${stray} exclude each other.`);
  const verdict = textOf(parsed, 'as');
  if (verdict === undefined)
    throw usageError('resolve', '--where needs --as: the verdict on all of the rows.');
  if (!isVerdict(verdict)) throw usageError('resolve', `--as is none of ${verdicts.join(', ')}.`);
  const note = textOf(parsed, 'note')?.trim() ?? '';
  return { where, verdict, note, selection: textOf(parsed, 'selection')?.trim() };
}

function oneVerdict(
  row: string | undefined,
  as: string | undefined,
  parsed: Arguments,
): ResolveRequest['verdicts'] {
  if (row === undefined || as === undefined)
    throw usageError('resolve', 'A verdict needs --row and --as, or --file or --where for many.');
  if (!/^[1-9]\d{0,8}$/.test(row)) throw usageError('resolve', '--row is no row number.');
  if (!isVerdict(as)) throw usageError('resolve', `--as is none of ${verdicts.join(', ')}.`);
  const known = textOf(parsed, 'attempts');
  if (known !== undefined && !/^\d{1,9}$/.test(known))
    throw usageError('resolve', '--attempts is no number of requests.');
  const id = textOf(parsed, 'id')?.trim() ?? null;
  const note = textOf(parsed, 'note')?.trim() ?? '';
  const attempts = known === undefined ? null : Number(known);
  return { row: Number(row), verdict: as, id, note, key: null, attempts };
}

export const reconcileCommand: Command = (app, parsed) => {
  requireSuitingOptions(parsed);
  boundHeapGrowth();
  return has(parsed, 'left') || has(parsed, 'right')
    ? compareSides(app, parsed)
    : reconcileBatch(app, parsed);
};

/** The options for comparing a batch, which have no effect without an export. */
const comparing = ['covers-from', 'covers-to', 'grace-days', 'tolerance', 'tolerance-days', 'compare'];

/** Options without a meaning if two files are compared without a ledger. */
const aboutBatch = [
  ...['batch', 'export', 'against', 'source', 'source-mapping', 'replay'],
  ...['accept', 'note', 'selection'],
];

function has(parsed: Arguments, name: string): boolean {
  const value = parsed[name];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Refuses options without an effect, since the caller would expect an effect. */
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
  const { terminal, words } = app;
  const { figures, files } = result.compared;
  terminal.print(`${firstLines(figures, terminal.useColour).join('\n')}\n`);
  terminal.print(comparisonSummary(figures, breakLinesOf(result.compared), words, terminal.useColour));
  terminal.print(`\n${fileLines({ ...files })}`);
  return { ...result, document: comparisonDocument(result) };
}

async function reconcileBatch(app: App, parsed: Arguments): Promise<CommandEnd> {
  const batch = textOf(parsed, 'batch');
  if (batch === undefined) throw reconcileUsage('Which batch? Or give --left and --right.');
  const request: BatchRequest = {
    batch,
    // If a shell expands a pattern, only the first file follows the option, and the other files become arguments.
    against: [...textsOf(parsed, 'against'), ...textsOf(parsed, 'export')],
    rules: rulesIn(parsed),
    source: textOf(parsed, 'source'),
    sourceMapping: textOf(parsed, 'source-mapping'),
    replay: parsed['replay'] === true,
    accept: acceptIn(parsed),
  };
  const result = await app.engine.reconcile(request, app.call).result;
  if (result.hadNothingToReplay) app.terminal.print('Nothing to replay: no row is unknown.');
  app.terminal.print(reconciliationText(result, app.words, app.terminal.useColour));
  requireAccepted(result.accepting, request.accept?.selection);
  return { ...result, document: reconciliationDocument(result) };
}

/**
 * Reads the options for accepting differences.
 * @throws PaybatchError (`usage`) for an unknown kind of difference, and for incomplete options
 */
function acceptIn(parsed: Arguments): BatchRequest['accept'] {
  if (!has(parsed, 'accept')) {
    const stray = ['note', 'selection'].find((name) => has(parsed, name));
    if (stray !== undefined) throw reconcileUsage(`--${stray} goes with --accept only.`);
    return undefined;
  }
  if (has(parsed, 'replay')) throw reconcileUsage('--accept and --replay exclude each other.');
  const note = textOf(parsed, 'note')?.trim() ?? '';
  if (note === '') throw reconcileUsage('--accept needs --note: why it is accepted.');
  const kinds = textsOf(parsed, 'accept')
    .flatMap((text) => text.split(','))
    .map((text) => {
      const kind = acceptableKinds.find((each) => each === text.trim());
      if (kind === undefined) {
        throw reconcileUsage(`--accept is "${text.trim()}"; it can be ${acceptableKinds.join(', ')}.`);
      }
      return kind;
    });
  return { kinds, note, selection: textOf(parsed, 'selection')?.trim() };
}

/** @throws PaybatchError if differences were to be accepted, and no person has agreed to exactly these differences */
function requireAccepted(accepting: ReconcileEnd['accepting'], selection: string | undefined): void {
  if (accepting === null || accepting.isRecorded) return;
  const { hash, differences } = accepting;
  if (differences === 0)
    throw new PaybatchError('selection_empty', 'There is no difference of these kinds to accept.', null);
  const found = `${countOf(differences, 'difference')} would be accepted. Nothing was recorded.`;
  const next = `look at them, then repeat it with --selection ${hash}`;
  throw selection === undefined
    ? new PaybatchError('selection_not_confirmed', found, next)
    : new PaybatchError('selection_changed', `These are not the differences of that hash. ${found}`, next);
}

function rulesIn(parsed: Arguments): BatchRequest['rules'] {
  return {
    coversFrom: textOf(parsed, 'covers-from'),
    coversTo: textOf(parsed, 'covers-to'),
    tolerances: textsOf(parsed, 'tolerance'),
    toleranceDays: textOf(parsed, 'tolerance-days'),
    graceDays: textOf(parsed, 'grace-days'),
    ...(has(parsed, 'compare') ? { compare: textsOf(parsed, 'compare') } : {}),
  };
}
