import type { BatchRecord } from '../../domain/ledger-row.ts';
import { inScratch } from '../../ledger/scratch.ts';
import { bindVerbs } from '../../ledger/verbs.ts';
import type { BatchSummary } from '../../output/json-summary.ts';
import { accountFor } from '../../reconcile/account.ts';
import type { EchoReading } from '../../reconcile/echo-check.ts';
import type { ExportSide } from '../../reconcile/export-files.ts';
import type { ReplayFinding } from '../../reconcile/replay.ts';
import { definitionNamed } from '../../resources/registry.ts';
import type { App } from '../app.ts';
import type { Arguments } from '../command.ts';
import type { LedgerAccess } from '../ledger-access.ts';
import type { CommandEnd } from '../outcome.ts';
import { compareBatch, type GivenRules, givenRules } from './comparison.ts';
import { endWith } from './ending.ts';
import { openAgainst, requireReadable } from './exports.ts';
import { type Findings, writeDoubts } from './findings.ts';
import { writeBatchReport } from './report.ts';
import { type OpenedSource, openSource } from './source.ts';

/**
 * Accounts for every row of a batch, compares it with the exports that `--against` names, and writes,
 * tells and notes what was found.
 * @param replayFirst sends rows again before that; only called once every file and option has been accepted
 */
export async function reconcileBatch(
  app: App,
  access: LedgerAccess,
  batch: BatchRecord,
  parsed: Arguments,
  replayFirst: (() => Promise<readonly ReplayFinding[]>) | null,
): Promise<CommandEnd> {
  const rules = givenRules(parsed);
  const against = await openAgainst(app, parsed, batch.kind);
  try {
    const source = await openSource(app, access.verbs, parsed, batch);
    try {
      if (replayFirst !== null) await requireReadable(against, batch.kind);
      const opened = { against, source, rules, replayed: (await replayFirst?.()) ?? [] };
      const { findings, summary } = await findAndReport(app, access, batch, opened);
      return await endWith(app, access.verbs, batch, findings, summary);
    } finally {
      await source.close();
    }
  } finally {
    await against?.close();
  }
}

interface Opened {
  readonly against: ExportSide | null;
  readonly source: OpenedSource;
  readonly rules: GivenRules;
  readonly replayed: readonly ReplayFinding[];
}

function echoReadingOf({ settings }: App): (resource: string) => EchoReading {
  const paths = { customerIdPaths: settings['customer-id-path'] };
  return (resource) => {
    const { echoes, readAnswer } = definitionNamed(resource);
    return { echoes, objectIn: (json) => readAnswer(json, paths).object };
  };
}

/** Everything is read in one view of the ledger, whatever other runs do meanwhile. */
async function findAndReport(
  app: App,
  access: LedgerAccess,
  batch: BatchRecord,
  { against, source, rules, replayed }: Opened,
): Promise<{ findings: Findings; summary: BatchSummary }> {
  return inScratch(access.ledger.database, async (scratch) => {
    const verbs = bindVerbs(scratch.database);
    const account = await accountFor(batch, verbs, source.source, echoReadingOf(app));
    const compared = against === null ? null : await compareBatch(app, scratch, verbs, batch, against, rules);
    const found = await writeDoubts(app, verbs, batch, compared?.comparison.foundIds ?? new Map());
    const findings: Findings = { account, sourceNote: source.note, compared, replayed, ...found };
    return { findings, summary: await writeBatchReport(app, verbs, batch, findings) };
  });
}
