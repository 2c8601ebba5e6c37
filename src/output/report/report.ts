/* The report of a batch: one HTML page without scripts. */

import type { ApprovalStanding } from '../../domain/batches/approval.ts';
import type { AuditHead } from '../../domain/batches/audit-head.ts';
import type { Environment, RowsInDoubt } from '../../domain/batches/batch.ts';
import type { ChainTip } from '../../domain/batches/run-log.ts';
import type { DoorWords } from '../../domain/failures/remedy.ts';
import type { StatusTotal } from '../../domain/money/expectation.ts';
import type { StatusCounts } from '../../domain/rows/row-state.ts';
import { type FileSystem, realFileSystem } from '../files/file-system.ts';
import { ReplacementFile } from '../files/replacement-file.ts';
import { type NextStep, nextSteps } from '../words/next-steps.ts';
import type { Attention } from './attention.ts';
import { type Html, html, reportStyle, type TableSection, tableSection } from './page.ts';
import {
  attentionSection,
  filesSection,
  moment,
  nextStepsSection,
  outcomeSection,
  type ReportFiles,
  type RunLine,
  runsSection,
  totalsSection,
} from './sections.ts';

export interface Report {
  /** The file as people named it. */
  readonly file: string;
  readonly sheet: string | null;
  /** The kind's name, for a heading: `Customers`. */
  readonly kindLabel: string;
  /** Null where nothing is about to be sent anywhere. */
  readonly environment: Environment | null;
  /** The batch's whole id; null where there is none. */
  readonly batch: string | null;
  /** What was done, in one sentence, and then what came of it. */
  readonly headlines: readonly string[];
  /** When the report is made: ISO 8601, UTC. */
  readonly madeAt: string;
  readonly counts: StatusCounts;
  /** Rows in doubt; null or absent when there are none. */
  readonly doubt?: RowsInDoubt | null;
  /** Empty where the kind has no amounts. */
  readonly totals: readonly StatusTotal[];
  readonly attention: Attention;
  readonly files: ReportFiles;
  /** In the order in which they were started. */
  readonly runs: readonly RunLine[];
  /** The last event of the batch's chain in the audit trail when the report is made; null where there is none. */
  readonly auditHead?: AuditHead | null;
  /** The last line of the run log when the report is made; null where no head is beside it. */
  readonly logHead?: Pick<ChainTip, 'line' | 'hash'> | null;
  /** How the way in, for which the report is made, names what is to be done. */
  readonly words: DoorWords;
  /** Which approvals the policy asks for; null or absent where it asks for none. */
  readonly approval?: ApprovalStanding | null;
  /** What comes first, behind the outcome: what changed since last time, what would be sent. */
  readonly leading?: readonly TableSection[];
  /** Tables that stand between the rows that need attention and the files. */
  readonly sections?: readonly TableSection[];
}

function badge(environment: Environment | null): Html {
  if (environment === null) return html`<span class="badge">CHECKED ONLY · NOTHING SENT</span>`;
  return environment.mode === 'live'
    ? html`<span class="badge live">LIVE · REAL MONEY</span>`
    : html`<span class="badge">SANDBOX · NO REAL MONEY</span>`;
}

function nameOf({ origin }: Environment): string {
  return /^https?:/.test(origin) ? origin : 'built-in sandbox';
}

function heading(report: Report): Html {
  const { file, sheet, kindLabel, environment, batch, madeAt, auditHead, logHead } = report;
  const facts: readonly (readonly [string, string])[] = [
    ...(sheet === null ? [] : [['Sheet', sheet] as const]),
    ['What', kindLabel],
    ...(environment === null ? [] : [['API', nameOf(environment)] as const]),
    ...(batch === null ? [] : [['Batch', batch] as const]),
    ['Report made', moment(madeAt)],
    ...(auditHead == null
      ? []
      : [['Audit trail then', `event ${auditHead.number}, ${auditHead.hash}`] as const]),
    ...(logHead == null ? [] : [['Run log then', `line ${logHead.line}, ${logHead.hash}`] as const]),
  ];
  return html`<header>
${badge(environment)}
<h1>${file}</h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
`;
}

function sections(report: Report): readonly (Html | null)[] {
  const { attention, files } = report;
  const { contradicted } = attention;
  return [
    outcomeSection(report, contradicted),
    ...(report.leading ?? []).map(tableSection),
    nextStepsSection(stepsAfter(report), report.words),
    totalsSection(report.totals, report.counts),
    attentionSection(attention, files),
    ...(report.sections ?? []).map(tableSection),
    filesSection(files),
    runsSection(report.runs),
  ];
}

function stepsAfter({
  batch,
  counts,
  doubt = null,
  attention,
  files,
  environment,
  approval = null,
}: Report): readonly NextStep[] {
  if (batch === null) return [];
  const { contradicted } = attention;
  const place = environment === null ? {} : { environment };
  return nextSteps({ batch, counts, doubt, contradicted, approval, failed: files.failed, ...place });
}

/** The report as one HTML page: no scripts, nothing fetched, every value escaped. */
export function reportPage(report: Report): string {
  const { file, environment } = report;
  const mode = environment === null ? 'checked only' : environment.mode === 'live' ? 'LIVE' : 'sandbox';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>${file}: ${report.kindLabel}, ${mode}</title>
${reportStyle}
</head>
<body class="${environment?.mode ?? 'checked'}">
${heading(report)}<main>
${sections(report)}</main>
<footer>Made by paybatch.</footer>
</body>
</html>
`.text;
}

/**
 * Writes the report beside its final name and renames it into place (0600), as the other result files.
 *
 * @throws OutputError
 */
export async function writeReport(
  report: Report & { readonly path: string; readonly fileSystem?: FileSystem },
): Promise<void> {
  const file = await ReplacementFile.create(report.path, report.fileSystem ?? realFileSystem);
  try {
    await file.write(reportPage(report));
    await file.complete();
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
