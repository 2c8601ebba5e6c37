/* The account of a reconciled batch, and its report with the reconciliation's result. */

import { join, resolve } from 'node:path';
import { unrecordedTables } from '../../account/batch-files/files-of-batch.ts';
import { changesIn } from '../../account/batch-files/payee-changes.ts';
import {
  lostFactsNotes,
  type RowsWithObjects,
  rowsOfBatch,
} from '../../account/batch-files/rows-of-batch.ts';
import { existingFiles, RowsWalk, readWalkedAccount, stemOf } from '../../account/read-accounts.ts';
import { type BreakLine, firstTexts } from '../../account/reconciliation/comparison.ts';
import * as sections from '../../account/reconciliation/report.ts';
import { reportOfBatch, writeReport } from '../../account/report.ts';
import { placeOf } from '../../account/status/place.ts';
import type { Table } from '../../account/table/table.ts';
import type { CallContext } from '../../call/context.ts';
import type { BatchAccount } from '../../domain/batches/account.ts';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { Phrasebook } from '../../domain/failures/paybatch-error.ts';
import { plainText, withoutStop } from '../../domain/settings/message.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import type { ComparedWith } from './comparison.ts';
import { type Reconciliation, replayFigures } from './reconciliation.ts';

/** Rewrites the batch's report, with tables about this reconciliation; its other files stay unchanged. */
export async function writeReconciledReport(
  app: CallContext,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  reconciliation: Reconciliation,
): Promise<BatchAccount> {
  const walk = new RowsWalk(batch.header);
  const missing = { responses: 0 };
  const { groups } = await rowsOfBatch(app, verbs, batch);
  for await (const group of groups) {
    walk.add(group.rows);
    missing.responses += withoutFacts(group);
  }
  const report = join(resolve(app.settings.output.out), `${stemOf(batch)}.report.html`);
  const files = { ...existingFiles(app.settings.output.out, batch), report };
  const account = await readWalkedAccount(verbs, batch, placeOf(app), {
    ...walk.result(),
    changes: await changesIn(verbs, batch.id),
    files: { ...files, verdicts: reconciliation.verdicts },
    notes: [...batch.notes, ...lostFactsNotes(app, batch, missing.responses)],
  });
  const tables = {
    before: await unrecordedTables(verbs, account),
    behind: reconciliationTables(reconciliation, app.words),
  };
  const made = { madeAt: app.clock.now().toISOString(), words: app.words };
  const { sentences, ...rest } = reportOfBatch(account, made, tables);
  const { compared } = reconciliation;
  const first = compared === null ? [] : firstTexts(compared.figures);
  await writeReport(report, {
    ...rest,
    sentences: [
      ...sentences,
      ...first.map((text) => ({ tone: 'plain', text: withoutStop(plainText(text)) }) as const),
    ],
  });
  return account;
}

function withoutFacts({ objects }: RowsWithObjects): number {
  return objects.filter(({ facts }) => facts === null).length;
}

/** The result of a reconciliation, as tables of a report or a page. */
function reconciliationTables(reconciliation: Reconciliation, words: Phrasebook): Table[] {
  const { account, sourceNote, compared, undecided, undecidedCount, verdicts } = reconciliation;
  return [
    sections.accountSection(account, sourceNote),
    sections.replaySection(replayFigures(reconciliation)),
    sections.factsSection(replayFigures(reconciliation)),
    sections.undecidedSection(undecided, undecidedCount, verdicts, words),
    ...(compared === null ? [] : comparedTables(compared, words)),
  ];
}

function comparedTables(compared: ComparedWith, words: Phrasebook): Table[] {
  const { figures, files } = compared;
  return [
    sections.statesSection(figures),
    sections.breaksSection(breakLinesOf(compared), figures.breakCount, files.breaks, words),
  ];
}

/** The first differences as the terminal and the report show them. */
export function breakLinesOf({ comparison, names }: ComparedWith): BreakLine[] {
  return comparison.breaks.map(({ state, here, there, differences, evidence, action }) => ({
    state,
    differences,
    evidence,
    action,
    hereRow: here?.row ?? null,
    thereRow: there?.row ?? null,
    thereFile: there === null || names.there.length === 1 ? null : (names.there[there.file] ?? null),
  }));
}
