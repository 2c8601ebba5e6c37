/* A report: one HTML page without scripts, for a batch, for files that were only checked, or for a plan to be approved. */

import { type FileSystem, realFileSystem } from '../disk/file-system.ts';
import {
  type BatchAccount,
  type InputAccount,
  isBatch,
  type PlannedAccount,
} from '../domain/batches/account.ts';
import type { DoorWords } from '../domain/failures/remedy.ts';
import { countOf } from '../domain/money/figures.ts';
import { kindNamed } from '../kinds/registry.ts';
import { amountsTable } from './amounts.ts';
import { changesTables } from './changes-tables.ts';
import { ReplacementFile } from './files/replacement-file.ts';
import { plannedRows, planTables } from './plan-tables.ts';
import { type Html, html, reportStyle } from './report/page.ts';
import {
  attentionSection,
  filesSection,
  nextStepsSection,
  outcomeSection,
  runsSection,
} from './report-sections.ts';
import { notesOf, type Sentence, sentencesOf } from './sentences.ts';
import { secondOf, type Table } from './table/table.ts';
import { tableSection } from './table/table-html.ts';
import { approvalHeadline } from './words/wording.ts';

/** What a report says. */
export interface Report {
  readonly account: InputAccount | BatchAccount;
  readonly sentences: readonly Sentence[];
  /** When the report is made: ISO 8601, UTC. */
  readonly madeAt: string;
  /** How the channel that the report is made for names what is to be done. */
  readonly words: DoorWords;
  /** Tables that come first, behind the sentences. */
  readonly leading: readonly Table[];
  /** Tables between what needs attention and the files. */
  readonly tables: readonly Table[];
}

/** The report of a batch. @param tables what stands between the rows that need attention and the notes, and behind these */
export function reportOfBatch(
  account: BatchAccount,
  { madeAt, words }: Pick<Report, 'madeAt' | 'words'>,
  {
    before = [],
    behind = [],
  }: { readonly before?: readonly Table[]; readonly behind?: readonly Table[] } = {},
): Report {
  return {
    account,
    sentences: sentencesOf(account),
    madeAt,
    words,
    leading: changesTables(account.changes),
    tables: [...before, ...notesTables(notesOf(account)), ...behind],
  };
}

/** The page of a plan that is to be approved: what would be sent, what not, and why. */
export function reportOfPlan(
  account: PlannedAccount,
  { madeAt, words }: Pick<Report, 'madeAt' | 'words'>,
): Report {
  const { plan, approval } = account;
  const sentences: readonly Sentence[] = [
    { tone: 'main', text: `${countOf(plannedRows(plan.totals), 'row')} would be sent` },
    ...(approval === null ? [] : [{ tone: 'plain', text: approvalHeadline(approval) } as const]),
    { tone: 'plain', text: `The hash of the plan is ${plan.planHash}` },
  ];
  const files = { results: null, failed: null, log: null, report: null };
  return {
    account: { ...account, sums: null, files, runs: [] },
    sentences,
    madeAt,
    words,
    leading: [...changesTables(account.changes), ...planTables(plan.totals)],
    tables: [],
  };
}

/** What reading the file brought to light: its encoding, hidden sheets, rows above the header. */
export function notesTables(notes: readonly string[]): readonly Table[] {
  if (notes.length === 0) return [];
  return [{ title: 'About the file', columns: ['Note'], rows: notes.map((note) => [note]) }];
}

function badge(account: Report['account']): Html {
  if (!isBatch(account)) return html`<span class="badge">CHECKED ONLY · NOTHING SENT</span>`;
  return account.environment.mode === 'live'
    ? html`<span class="badge live">LIVE · REAL MONEY</span>`
    : html`<span class="badge">SANDBOX · NO REAL MONEY</span>`;
}

function apiName(origin: string): string {
  return /^https?:/.test(origin) ? origin : 'built-in sandbox';
}

function heading({ account, madeAt }: Report): Html {
  const { file, sheet, kind, auditHead, logHead } = account;
  const facts: readonly (readonly [string, string])[] = [
    ...(sheet === null ? [] : [['Sheet', sheet] as const]),
    ['What', kindNamed(kind).label],
    ...(isBatch(account)
      ? ([
          ['API', apiName(account.environment.origin)],
          ['Batch', account.id],
        ] as const)
      : []),
    ['Report made', secondOf(madeAt)],
    ...(auditHead === null
      ? []
      : [['Audit trail then', `event ${auditHead.number}, ${auditHead.hash}`] as const]),
    ...(logHead === null ? [] : [['Run log then', `line ${logHead.line}, ${logHead.hash}`] as const]),
  ];
  return html`<header>
${badge(account)}
<h1>${file}</h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
`;
}

function sections({ account, sentences, words, leading, tables }: Report): readonly (Html | null)[] {
  const { attention, files } = account;
  const amounts = amountsTable(account);
  return [
    outcomeSection(sentences, account),
    ...leading.map(tableSection),
    isBatch(account) ? nextStepsSection(account.next, words) : null,
    amounts === null ? null : tableSection(amounts),
    attention === null ? null : attentionSection(attention, files),
    ...tables.map(tableSection),
    filesSection(files),
    isBatch(account) ? runsSection(account.runs) : null,
  ];
}

/** The report as one HTML page: no scripts, nothing fetched, every value escaped. */
export function reportPage(report: Report): string {
  const { account } = report;
  const mode = isBatch(account) ? account.environment.mode : 'checked';
  const modeName = { live: 'LIVE', sandbox: 'sandbox', checked: 'checked only' }[mode];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>${account.file}: ${kindNamed(account.kind).label}, ${modeName}</title>
${reportStyle}
</head>
<body class="${mode}">
${heading(report)}<main>
${sections(report)}</main>
<footer>Made by paybatch.</footer>
</body>
</html>
`.text;
}

/**
 * Writes a report beside its final name and renames it into place (0600), as the other result files.
 * @throws OutputError
 */
export async function writeReport(
  path: string,
  report: Report,
  fileSystem: FileSystem = realFileSystem,
): Promise<void> {
  const file = await ReplacementFile.create(path, fileSystem);
  try {
    await file.write(reportPage(report));
    await file.complete();
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
