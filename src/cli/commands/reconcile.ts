import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { shortBatchId } from '../../domain/batch.ts';
import { exitCodes } from '../../domain/exit-code.ts';
import { Failure } from '../../domain/failure.ts';
import type { BatchRecord } from '../../domain/ledger-row.ts';
import { InputError } from '../../input/input-error.ts';
import { openInput } from '../../input/open.ts';
import { inScratch, openScratchDatabase, type Scratch } from '../../ledger/scratch.ts';
import { bindVerbs, type LedgerVerbs } from '../../ledger/verbs.ts';
import { type BatchSummary, jsonSummary } from '../../output/json-summary.ts';
import { type WrittenComparison, writeComparison, writeVerdictsFile } from '../../output/reconcile-files.ts';
import { writeReconciledReport } from '../../output/reconcile-report.ts';
import * as sections from '../../output/reconcile-sections.ts';
import * as summary from '../../output/reconcile-summary.ts';
import type { TableSection } from '../../output/report-table.ts';
import { findingsStem } from '../../output/stem.ts';
import { readingRulesOf } from '../../pipeline/mapping-file.ts';
import { holdBatch } from '../../pipeline/take-in.ts';
import { type Account, accountFor, hasDifferences } from '../../reconcile/account.ts';
import * as compare from '../../reconcile/compare.ts';
import { type Doubt, doubtOf } from '../../reconcile/doubts.ts';
import { type ExportSide, type OpenFile, openExportSide } from '../../reconcile/export-files.ts';
import { type ExportMapping, parseExportMapping, parseTwoMappings } from '../../reconcile/export-mapping.ts';
import { readExportRecords } from '../../reconcile/export-records.ts';
import { readMatchOptions } from '../../reconcile/match-options.ts';
import { ownMatchRecords } from '../../reconcile/own-records.ts';
import type { AccountedSource } from '../../reconcile/ports.ts';
import { judgeReplay, onlyUnknownRows, originTexts, type ReplayFinding } from '../../reconcile/replay.ts';
import { accountedSource, sourceProblem } from '../../reconcile/source-file.ts';
import { createRowChecker } from '../../resources/check/row-checker.ts';
import { definitionNamed } from '../../resources/registry.ts';
import type { App } from '../app.ts';
import { repeatedOptions, stemOf } from '../batch-files.ts';
import { workOn } from '../batch-work.ts';
import { type Arguments, batchArgument, type Command, textOf, textsOf } from '../command.ts';
import { requireDurableLedger } from '../durability.ts';
import { findNamedBatch } from '../find-batch.ts';
import { openInputs } from '../inputs.ts';
import { readRules } from '../judging.ts';
import { type LedgerAccess, openLedger } from '../ledger-access.ts';
import { requireOutFolder } from '../out-folder.ts';
import type { CommandEnd } from '../outcome.ts';
import { withApiAndLedger } from '../sending.ts';

const list = { type: 'string', array: true, requiresArg: true } as const;

export const reconcileCommand: Command = {
  words: 'reconcile [batch]',
  description: 'Account for every row; compare with exports of the other side, or two files with each other',
  build: (program) =>
    program
      .positional('batch', batchArgument)
      .option('against', { ...list, description: "The other side's export files: CSV or workbooks" })
      .option('left', { ...list, description: 'Compare two files without a ledger: ours' })
      .option('right', { ...list, description: 'Compare two files without a ledger: theirs' })
      .option('covers-from', {
        type: 'string',
        description: 'First UTC day of which the export holds everything',
      })
      .option('covers-to', { type: 'string', description: 'Last UTC day of which it does' })
      .option('grace-days', {
        type: 'string',
        description: 'So many last covered days may be incomplete (0)',
      })
      .option('tolerance', { ...list, description: 'How far amounts may differ: 0.01 or 0.5% (0)' })
      .option('tolerance-days', { type: 'string', description: 'How many days dates may differ (0)' })
      .option('source', { type: 'string', description: 'The imported file, when it is not in this folder' })
      .option('source-mapping', { type: 'string', description: 'The mapping that it was imported with' })
      .option('replay', { type: 'boolean', description: 'Send unknown rows again under their own keys' }),
  work: (app, parsed) => {
    requireOutFolder(app.settings);
    return textsOf(parsed, 'left').length > 0 || textsOf(parsed, 'right').length > 0
      ? reconcileFiles(app, parsed)
      : reconcileNamed(app, parsed);
  },
};

async function reconcileNamed(app: App, parsed: Arguments): Promise<CommandEnd> {
  const named = textOf(parsed, 'batch');
  if (named === undefined) throw usage('Which batch? Or give --left and --right.');
  if (parsed['replay'] === true) {
    return withApiAndLedger(app, async (target, access) => {
      const batch = await findNamedBatch(access.verbs, named);
      const replayed = await replay(app, access, target, batch);
      return reconcileBatch(app, access, batch, parsed, replayed);
    });
  }
  const access = await openLedger(app.settings, app.environment);
  try {
    return await reconcileBatch(app, access, await findNamedBatch(access.verbs, named), parsed, []);
  } finally {
    await access.close();
  }
}

/** Sends a batch's unknown rows again, once somebody has agreed, and says what became of their objects. */
async function replay(
  app: App,
  access: LedgerAccess,
  target: Parameters<typeof workOn>[2],
  batch: BatchRecord,
): Promise<ReplayFinding[]> {
  if (batch.mode !== target.environment.mode || batch.origin !== target.environment.origin) {
    throw usage(`Batch ${shortBatchId(batch.id)} belongs to ${batch.mode} at ${batch.origin}.`);
  }
  const { unknown = 0 } = await access.verbs.countStatuses(batch.id);
  if (unknown === 0) {
    app.terminal.print('Nothing to replay: no row is unknown.');
    return [];
  }
  if (app.settings.mode === 'live') await requireDurableLedger(access);
  await confirmReplay(app, batch, unknown);
  const { verbs } = access;
  const run = await holdBatch(batch, { ledger: verbs, command: 'reconcile', newRunId: randomUUID });
  const narrowed = { ...access, verbs: onlyUnknownRows(verbs) };
  const end = await workOn(app, narrowed, target, [{ batch, run, isNew: false }]);
  if (end.failure !== null) throw end.failure;
  const timed = await verbs.findTimedAnswers(batch.environmentId, run.startedAt, 200);
  const rows = await verbs.findReplayedRows(batch.id, run.id);
  return judgeReplay(rows, new Date(run.startedAt), timed);
}

/** A replay may create what did not exist before, so somebody has to want it. */
async function confirmReplay({ settings }: App, batch: BatchRecord, unknown: number): Promise<void> {
  if (settings.yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usage('A replay may create objects: without a terminal it needs --yes.');
  }
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await dialogue.question(
      `${batch.mode === 'live' ? 'LIVE: ' : ''}${unknown} unknown row(s) go again to ${batch.origin} under their own keys; ` +
        'what was never created is created now.\nType "yes" to send: ',
    );
    if (answer.trim().toLowerCase() !== 'yes') throw usage('Nothing was sent.');
  } finally {
    dialogue.close();
  }
}

/** What one reconciliation of a batch found. */
interface Findings {
  readonly account: Account;
  readonly sourceNote: string;
  readonly doubts: readonly Doubt[];
  readonly doubtCount: number;
  readonly verdicts: string | null;
  readonly compared: ComparedWith | null;
}

interface ComparedWith {
  readonly comparison: compare.Comparison;
  readonly figures: summary.ComparisonFigures;
  readonly files: WrittenComparison;
  readonly facts: object;
}

const doubtsShown = 10;

/** Everything is read in one view of the ledger, whatever other runs do meanwhile. */
async function reconcileBatch(
  app: App,
  access: LedgerAccess,
  batch: BatchRecord,
  parsed: Arguments,
  replayed: readonly ReplayFinding[],
): Promise<CommandEnd> {
  const against = await openAgainst(app, parsed, batch);
  const source = await openSource(app, parsed, batch);
  try {
    const { findings, files } = await inScratch(access.ledger.database, async (scratch) => {
      const verbs = bindVerbs(scratch.database);
      const account = await accountFor(batch, verbs, source.source, (name) => definitionNamed(name).echoes);
      const compared =
        against === null ? null : await compareBatch(app, scratch, verbs, batch, against, parsed);
      const found = await writeDoubts(app, verbs, batch, compared?.comparison.foundIds ?? new Map());
      const findings: Findings = { account, sourceNote: source.note, compared, ...found };
      return { findings, files: await writeBatchReport(app, verbs, batch, findings, replayed) };
    });
    return await endOf(app, access, batch, findings, files, replayed);
  } finally {
    await source.close();
    await against?.close();
  }
}

async function openAgainst(app: App, parsed: Arguments, batch: BatchRecord): Promise<ExportSide | null> {
  const paths = textsOf(parsed, 'against');
  if (paths.length === 0) return null;
  return openExportSide(
    paths,
    readMapping(app.settings.mapping, parseExportMapping, {}),
    batch.kind,
    opener(app),
  );
}

function readMapping<Mapping>(
  path: string | undefined,
  parse: (text: string, path: string) => Mapping,
  none: Mapping,
): Mapping {
  if (path === undefined) return none;
  if (!existsSync(path)) throw usage(`The mapping ${path} is not there.`);
  return parse(readFileSync(path, 'utf8'), path);
}

function opener({ settings }: App): OpenFile {
  const { delimiter, encoding, sheet } = settings;
  return async (path, isHeader) => {
    try {
      return await openInput(path, {
        isHeader,
        ...(delimiter === undefined ? {} : { delimiter: delimiter === '\\t' ? '\t' : delimiter }),
        ...(encoding === undefined ? {} : { encoding }),
        ...(sheet === undefined ? {} : { sheet }),
      });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new Failure(exitCodes.fileRefused, error.code, `${path}: ${error.message}`, error.advice);
    }
  };
}

interface OpenedSource {
  readonly source: AccountedSource | null;
  /** Why there is none. */
  readonly note: string;
  readonly close: () => Promise<void>;
}

/** The file that a batch was imported from: the one that is named, or one of its name in this folder. */
async function openSource(app: App, parsed: Arguments, batch: BatchRecord): Promise<OpenedSource> {
  const named = textOf(parsed, 'source');
  const path = named ?? batch.fileName;
  const none = (note: string): OpenedSource => ({ source: null, note, close: async () => {} });
  if (path === '-' || !existsSync(path)) {
    if (named !== undefined) throw usage(`There is no file ${named}.`);
    return none('it is not in this folder; name it with --source.');
  }
  const isOwnMapping = textsOf(parsed, 'against').length === 0;
  const { mapping: mappingPath, sheet: _, ...settings } = app.settings;
  const mapping = textOf(parsed, 'source-mapping') ?? (isOwnMapping ? mappingPath : undefined);
  const rules = readRules(settings.rules);
  const asImported = {
    ...settings,
    kind: batch.kind,
    ...(mapping === undefined ? {} : { mapping }),
    ...(batch.sheet === null ? {} : { sheet: batch.sheet }),
  };
  try {
    const inputs = await openInputs([path], asImported, rules);
    const intake = inputs.intakes.find(({ table }) => table.sheet === batch.sheet);
    const problem = sourceProblem(basename(path), intake, batch);
    if (intake === undefined || problem !== null) {
      await inputs.close();
      if (named === undefined) return none(problem ?? '');
      throw new Failure(exitCodes.fileRefused, 'source_differs', problem ?? '', null);
    }
    const checker = createRowChecker({
      mapping: intake.mapping,
      reading: readingRulesOf(inputs.mapping),
      today: app.clock.now().toISOString().slice(0, 10),
      headerWidth: intake.table.header.length,
      rules,
    });
    return { source: accountedSource(intake, checker), note: '', close: inputs.close };
  } catch (error) {
    if (named !== undefined || !(error instanceof Failure)) throw error;
    return none(error.message);
  }
}

async function compareBatch(
  app: App,
  scratch: Scratch,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  against: ExportSide,
  parsed: Arguments,
): Promise<ComparedWith> {
  const { compares, fields } = compare.comparableWithBatch(batch.kind, against.tables);
  const mapping: ExportMapping = against.tables[0]?.mapping ?? {};
  return compareInto(app, scratch, parsed, {
    stem: stemOf(batch),
    names: { here: [batch.fileName], there: against.names },
    hashes: against.hashes,
    compares,
    sides: {
      here: ownMatchRecords(verbs.readOwnRecords(batch.id), batch.kind, mapping, fields),
      there: readExportRecords(against.tables, batch.kind, fields),
      fields,
      findElsewhere: (open, into) => verbs.noteKnownElsewhere(batch, open, into),
    },
  });
}

/** Compares two sides, writes their lines, and puts the figures together. */
async function compareInto(
  app: App,
  scratch: Scratch,
  parsed: Arguments,
  what: {
    readonly stem: string;
    readonly names: { readonly here: readonly string[]; readonly there: readonly string[] };
    readonly hashes: readonly string[];
    readonly compares: compare.Comparable['compares'];
    readonly sides: Omit<compare.Sides, 'rules'>;
  },
): Promise<ComparedWith> {
  const rules = { ...matchOptions(parsed), compares: what.compares };
  const { result, files } = await writeComparison(
    {
      directory: resolve(app.settings.out),
      stem: what.stem,
      names: what.names,
      today: app.clock.now().toISOString().slice(0, 10),
    },
    (write) => compare.compareSides(scratch, { ...what.sides, rules }, write),
  );
  const { names } = what;
  const figures = { hereName: names.here.join(', '), thereName: names.there.join(', '), ...result.proof };
  const facts = {
    here: names.here,
    there: names.there,
    hashes: what.hashes,
    rules,
    fields: what.sides.fields,
  };
  return { comparison: result, figures, files, facts };
}

function matchOptions(parsed: Arguments): ReturnType<typeof readMatchOptions> {
  return readMatchOptions({
    coversFrom: textOf(parsed, 'covers-from'),
    coversTo: textOf(parsed, 'covers-to'),
    tolerances: textsOf(parsed, 'tolerance'),
    toleranceDays: textOf(parsed, 'tolerance-days'),
    graceDays: textOf(parsed, 'grace-days'),
  });
}

/** Writes the verdicts file, and keeps the first of its rows for showing. */
async function writeDoubts(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  foundIds: ReadonlyMap<number, string>,
): Promise<Pick<Findings, 'doubts' | 'doubtCount' | 'verdicts'>> {
  const doubts: Doubt[] = [];
  let doubtCount = 0;
  async function* watched(): AsyncGenerator<Doubt[]> {
    for await (const group of verbs.readDoubtfulRows(batch.id)) {
      const read = group.map((row) => doubtOf(row, app.settings['key-lifetime']));
      doubtCount += read.length;
      doubts.push(...read.slice(0, Math.max(0, doubtsShown - doubts.length)));
      yield read;
    }
  }
  const verdicts = await writeVerdictsFile(resolve(app.settings.out), stemOf(batch), watched(), foundIds);
  return { doubts, doubtCount, verdicts };
}

/** Writes the batch's report with sections about this reconciliation. */
async function writeBatchReport(
  app: App,
  verbs: LedgerVerbs,
  batch: BatchRecord,
  findings: Findings,
  replayed: readonly ReplayFinding[],
): Promise<BatchSummary> {
  return writeReconciledReport({
    directory: resolve(app.settings.out),
    stem: stemOf(batch),
    batch,
    counts: findings.account.counts,
    totals: findings.account.sums,
    rows: verbs.readResultRows(batch.id),
    runs: await verbs.listRuns(batch.id),
    madeAt: app.clock.now().toISOString(),
    commandOptions: repeatedOptions(app),
    sections: reportSections(findings, replayed),
  });
}

function reportSections(findings: Findings, replayed: readonly ReplayFinding[]): TableSection[] {
  const { compared, doubts, doubtCount } = findings;
  const breaks = compared?.comparison.breaks.map((line) => ({
    ...line,
    hereRow: line.here?.row ?? null,
    thereRow: line.there?.row ?? null,
    fields: line.differences.map(({ field }) => field),
  }));
  return [
    sections.accountSection(findings.account, findings.sourceNote),
    sections.replaySection(replayed.map(replayLine)),
    sections.doubtSection(doubts, doubtCount),
    ...(compared === null
      ? []
      : sections.comparisonSections(compared.figures, breaks ?? [], compared.comparison.breakCount)),
  ];
}

function replayLine({ row, state, origin }: ReplayFinding): { row: number; status: string; origin: string } {
  return { row, status: state, origin: origin === null ? 'no conclusive answer' : originTexts[origin] };
}

/** Tells what was found, notes it in the ledger for good, and gives the exit code. */
async function endOf(
  app: App,
  { verbs }: LedgerAccess,
  batch: BatchRecord,
  findings: Findings,
  batchSummary: BatchSummary,
  replayed: readonly ReplayFinding[],
): Promise<CommandEnd> {
  const { account, compared, doubts, doubtCount, verdicts } = findings;
  const written = {
    verdicts,
    breaks: compared?.files.breaks ?? null,
    pairs: compared?.files.pairs ?? null,
  };
  const short = shortBatchId(batch.id);
  const text = summary.reconciliationText(
    {
      title: `${batch.fileName} · ${batch.kind} · ${batch.mode} · batch ${short}`,
      replayed: replayed.map(replayLine),
      account: { ...account, sourceNote: findings.sourceNote },
      doubts,
      doubtCount,
      comparison: compared?.figures ?? null,
      files: { ...written, report: batchSummary.files.report },
      next: verdicts === null ? null : `paybatch resolve ${short} --file ${verdicts}`,
    },
    app.terminal.useColour,
  );
  app.terminal.print(text);
  const isBroken = hasDifferences(account) || (compared?.comparison.breakCount ?? 0) > 0;
  const exitCode = isBroken || doubtCount > 0 ? exitCodes.rowsNeedDecision : exitCodes.done;
  const result = { account, doubts: doubtCount, replayed, comparison: compared?.comparison.proof ?? null };
  const compareFacts = { source: account.source !== null, against: compared?.facts ?? null };
  await verbs.addReconciliation(batch.id, { compared: compareFacts, result, madeBy: userName(), exitCode });
  const base = jsonSummary({ exitCode, batches: [batchSummary], error: null });
  const document = {
    ...base,
    reconciliation: { ...result, files: written, verdicts: await verbs.listVerdicts(batch.id, 1_000) },
  };
  return { exitCode, batches: [batchSummary], failure: null, document };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Two files beside each other, without a ledger, by the same rules. */
async function reconcileFiles(app: App, parsed: Arguments): Promise<CommandEnd> {
  const [leftPaths, rightPaths] = [textsOf(parsed, 'left'), textsOf(parsed, 'right')];
  if (leftPaths.length === 0 || rightPaths.length === 0) throw usage('--left and --right go together.');
  const mappings = readMapping(app.settings.mapping, parseTwoMappings, { left: {}, right: {} });
  const open = opener(app);
  const left = await openExportSide(leftPaths, mappings.left, null, open);
  try {
    const right = await openExportSide(rightPaths, mappings.right, null, open);
    try {
      return await compareFiles(app, parsed, left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

async function compareFiles(
  app: App,
  parsed: Arguments,
  left: ExportSide,
  right: ExportSide,
): Promise<CommandEnd> {
  const { compares, fields } = compare.comparableFiles(left.tables, right.tables);
  const database = await openScratchDatabase(app.environment['DATABASE_URL'] || undefined);
  try {
    const compared = await inScratch(database.database, (scratch) =>
      compareInto(app, scratch, parsed, {
        stem: findingsStem({ fileName: left.names[0] ?? '', sheet: null }),
        names: { here: left.names, there: right.names },
        hashes: [...left.hashes, ...right.hashes],
        compares,
        sides: {
          here: readExportRecords(left.tables, null, fields),
          there: readExportRecords(right.tables, null, fields),
          fields,
        },
      }),
    );
    const { comparison, figures, files } = compared;
    app.terminal.print(summary.comparisonSummary(figures, app.terminal.useColour));
    app.terminal.print(`\n${summary.fileLines({ ...files })}`);
    const exitCode = comparison.breakCount > 0 ? exitCodes.rowsNeedDecision : exitCodes.done;
    const document = {
      ...jsonSummary({ exitCode, batches: [], error: null }),
      reconciliation: { comparison: comparison.proof, files },
    };
    return { exitCode, batches: [], failure: null, document };
  } finally {
    await database.close();
  }
}

function usage(message: string): Failure {
  return new Failure(exitCodes.usage, 'usage', message, 'paybatch reconcile --help');
}
