import { createInterface } from 'node:readline/promises';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { groupedNumber } from '../output/wording.ts';
import type { HeldBatch } from '../pipeline/take-in.ts';
import type { App } from './app.ts';
import type { LedgerAccess } from './ledger-access.ts';

/**
 * A live run shows what it is about to send and asks. Without a terminal nobody can answer, so `--yes`
 * has to be given.
 * @throws Failure (exit 2) when nobody agreed
 */
export async function confirmLive(app: App, access: LedgerAccess, held: readonly HeldBatch[]): Promise<void> {
  if (app.settings.mode !== 'live' || app.settings.yes) return;
  const totals = await totalsOf(access, held);
  if (totals.length === 0) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw refused('A live run without a terminal needs --yes.', 'check with: paybatch plan, then add --yes');
  }
  app.terminal.complain(`LIVE: about to send\n${totals.map((line) => `  ${line}`).join('\n')}`);
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await dialogue.question('Type "yes" to send: ');
    if (answer.trim().toLowerCase() !== 'yes')
      throw refused('Nothing was sent.', 'run it again when it is right');
  } finally {
    dialogue.close();
  }
}

async function totalsOf({ verbs }: LedgerAccess, held: readonly HeldBatch[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { batch } of held) {
    const counts = await verbs.countStatuses(batch.id);
    const rows = (counts.not_sent ?? 0) + (counts.waiting ?? 0) + (counts.unknown ?? 0);
    if (rows === 0) continue;
    const sums = (await verbs.sumAmounts(batch.id)).map(({ amount, currency }) => `${amount} ${currency}`);
    lines.push(
      `${groupedNumber(rows)} ${batch.kind} of ${batch.fileName}${sums.length > 0 ? `: ${sums.join(', ')}` : ''}`,
    );
  }
  return lines;
}

function refused(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'live_not_confirmed', message, next);
}
