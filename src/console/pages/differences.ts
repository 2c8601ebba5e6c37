/* The result of a reconciliation: each difference with the values of both sides, its meaning and its remedy. */

import { firstTexts } from '../../account/reconciliation/comparison.ts';
import {
  accountSection,
  factsSection,
  replaySection,
  statesSection,
} from '../../account/reconciliation/report.ts';
import { type Html, html, section } from '../../account/report/page.ts';
import { fieldName } from '../../account/words/mapping-words.ts';
import { differenceWords, rowRemedyText } from '../../account/words/row-words.ts';
import type { ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { DifferenceKind, FoundDifference } from '../../domain/rows/row-state.ts';
import { capital } from '../../domain/settings/message.ts';
import {
  countOfDifferences,
  type FoundByReconciling,
  type KeptReconciliation,
} from '../under-way/reconciliations.ts';
import { type Frame, moment, type Page, sentence } from './layout.ts';
import { pageStepNames } from './page-words.ts';
import { action, link } from './remedies.ts';
import { facts, tableView } from './table.ts';

/** The number of differences on one page. */
export const differencesOfAPage = 25;

/** The content of a reconciliation's page. */
interface DifferencesPage {
  readonly kept: KeptReconciliation;
  readonly found: FoundByReconciling;
  /** The name of the batch's file. */
  readonly file: string;
  /** Null for all kinds. */
  readonly kind: DifferenceKind | null;
  /** Counts from 1. */
  readonly page: number;
  readonly shown: readonly FoundDifference[];
}

/** The address of a page of differences. */
export function differencesAddress(
  { batch, id }: Pick<KeptReconciliation, 'batch' | 'id'>,
  kind: DifferenceKind | null,
  page = 1,
  ending = '',
): string {
  const query = new URLSearchParams();
  if (kind !== null) query.set('kind', kind);
  if (page > 1) query.set('page', String(page));
  const text = query.toString();
  return `/batches/${batch}/reconcile/${id}${ending}${text === '' ? '' : `?${text}`}`;
}

/** The page of a reconciliation. */
export function differencesPage(frame: Frame, given: DifferencesPage): Page {
  const { kept, found, file } = given;
  const { batch, at, by, files } = kept;
  const { account, sourceNote, comparison, replay } = found;
  const sections = [
    accountSection(account, sourceNote),
    replaySection(replay),
    factsSection(replay),
    ...(comparison === null ? [] : [statesSection(comparison, fieldName)]),
  ];
  return {
    title: `Reconciliation of ${file}`,
    part: '/batches',
    content: [
      facts([
        ['Compared with', files.length === 0 ? 'nothing else' : files.map(({ name }) => name).join(', ')],
        ['At', moment(at)],
        ['By', by],
      ]),
      comparison === null ? null : comparedSection(frame, kept, comparison),
      summary(given),
      grid(frame, given),
      ...sections.map((each) => tableView(each)),
      html`<div class="actions">${link(frame, `/batches/${batch}/reconcile`, 'Reconcile again')}<a href="/batches/${batch}">Back to the batch</a></div>`,
    ],
  };
}

/** What was compared and what was not checked; shown before the differences. */
function comparedSection(frame: Frame, kept: KeptReconciliation, comparison: ComparisonFigures): Html {
  const [compared = null, ...open] = firstTexts(comparison, fieldName).map(sentence);
  const buttons = kept.files.flatMap(({ name }, at) => {
    const address = differencesAddress(kept, null, 1, `/again/${at + 1}`);
    return frame.may('POST', address) ? [action(frame, address, `Say how ${name} is read`, 'second')] : [];
  });
  return html`<section aria-label="What was compared"><p>${compared}</p>
${open.map((text) => html`<p>${text}</p>`)}${buttons.length === 0 ? null : html`<div class="actions">${buttons}</div>`}</section>`;
}

/** The number of differences of each kind, with its meaning and a link that shows only that kind. */
function summary({ kept, found: { index }, kind }: DifferencesPage): Html {
  const all = countOfDifferences(index, null);
  if (all === 0) {
    return html`<section><p class="headline">No difference.</p><p>Everything that was compared agrees. The tables below tell what that was.</p></section>`;
  }
  const items = index.kinds.map((each) => {
    const { name, meaning } = differenceWords(each.kind);
    const current = each.kind === kind ? html` aria-current="true"` : null;
    return html`<li><b class="number">${groupedNumber(each.count)}</b><span><a href="${differencesAddress(kept, each.kind)}"${current}>${name}</a> <span class="soft">${meaning}</span></span></li>
`;
  });
  return html`<section><p class="headline">${countOf(all, 'difference')}</p>
<ul class="kinds">${items}</ul></section>`;
}

function grid(frame: Frame, given: DifferencesPage): Html | null {
  const { kept, found, kind, page, shown } = given;
  const count = countOfDifferences(found.index, kind);
  if (count === 0) return null;
  const first = (page - 1) * differencesOfAPage;
  const title = kind === null ? 'Both sides next to each other' : differenceWords(kind).name;
  const place =
    shown.length === 0
      ? html`<p class="empty">There is nothing on this page. <a href="${differencesAddress(kept, kind)}">The first page</a> has the first ones.</p>`
      : html`<p class="soft">${groupedNumber(first + 1)} to ${groupedNumber(first + shown.length)} of ${countOf(count, 'difference')}.${kind === null ? null : html` <a href="${differencesAddress(kept, null)}">All kinds</a>`}</p>`;
  const isLast = first + shown.length >= count;
  return section(title, [
    place,
    shown.length === 0
      ? null
      : html`<div class="scroll" role="region" aria-label="Differences" tabindex="0"><table class="sides">
<thead><tr><th scope="col">Difference</th><th scope="col">Value</th><th scope="col">In the ledger</th><th scope="col">On the other side</th></tr></thead>
${shown.map((each) => difference(frame, kept.batch, each))}</table></div>`,
    html`<div class="actions">
${page <= 1 ? null : html`<a class="button second" rel="prev" href="${differencesAddress(kept, kind, page - 1)}">Previous</a>`}
${isLast || shown.length === 0 ? null : html`<a class="button second" rel="next" href="${differencesAddress(kept, kind, page + 1)}">Next</a>`}
<a href="${differencesAddress(kept, kind, 1, '/differences.csv')}">Download as CSV<span class="visually-hidden">: ${title}</span></a></div>`,
  ]);
}

/** One difference: its kind at the left, then a line for each value with both sides. */
function difference(frame: Frame, batch: string, found: FoundDifference): Html {
  const { values } = found;
  const isOneSided = !values.some(({ here }) => here !== null) || !values.some(({ there }) => there !== null);
  const apart = isOneSided ? values : values.filter((value) => value.differs || value.here !== value.there);
  const same = isOneSided ? [] : values.filter((value) => !apart.includes(value));
  const lines = [
    html`<th scope="row">where</th><td data-title="Here"><span>${placeHere(batch, found)}</span></td><td data-title="There"><span>${placeThere(found)}</span></td>`,
    ...apart.map(
      (value) =>
        html`<th scope="row">${fieldName(value.name)}</th>${side('Here', value.here, value.differs)}${side('There', value.there, value.differs)}`,
    ),
    ...(same.length === 0
      ? []
      : [
          html`<th scope="row">the same</th><td colspan="2" data-title="Both"><span>${same.map(({ name, here }) => html`<span class="pair"><span class="soft">${fieldName(name)}</span> ${here}</span> `)}</span></td>`,
        ]),
  ];
  const [first, ...others] = lines;
  return html`<tbody><tr><th scope="rowgroup" rowspan="${lines.length}">${about(frame, batch, found)}</th>${first ?? null}</tr>
${others.map((line) => html`<tr>${line}</tr>\n`)}</tbody>
`;
}

function about(
  frame: Frame,
  batch: string,
  { kind, row, status, evidence, action, foundId }: FoundDifference,
): Html {
  const { name, next } = differenceWords(kind);
  const isUndecided = status === 'held' || status === 'unknown';
  const step =
    isUndecided && foundId !== null
      ? `If that is right, decide that row ${row ?? ''} was created, with the id ${foundId}.`
      : isUndecided && action !== null
        ? rowRemedyText(action, pageStepNames)
        : next;
  const address = row === null ? null : `/batches/${batch}/rows/${row}`;
  const decides = isUndecided && address !== null && frame.may('POST', `${address}/verdict`);
  return html`<b>${name}</b>${evidence === '' ? null : html`<p class="soft">${wholeSentence(evidence)}</p>`}<p>${wholeSentence(step)}</p>${address === null ? null : decides ? html`<a class="button second" href="${address}#decide">Decide about row ${groupedNumber(row ?? 0)}</a>` : html`<a href="${address}">Look at row ${groupedNumber(row ?? 0)}</a>`}`;
}

function wholeSentence(text: string): Html {
  return sentence(/[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`);
}

function placeHere(batch: string, { row, status }: FoundDifference): Html {
  if (row === null) return html`<span class="soft">not here</span>`;
  return html`<a href="/batches/${batch}/rows/${row}">row ${groupedNumber(row)}</a>${status === null ? null : `, ${status.replaceAll('_', ' ')}`}`;
}

function placeThere({ there }: FoundDifference): Html {
  if (there === null) return html`<span class="soft">not there</span>`;
  if (there.file === null) return html`the API`;
  return html`${there.file}${there.row === null ? null : `, row ${groupedNumber(there.row)}`}`;
}

/** A value of one side; on a narrow page, a missing value takes no space. */
function side(title: 'Here' | 'There', value: string | null, differs: boolean): Html {
  if (value === null) return html`<td class="none" data-title="${title}"><span class="soft">—</span></td>`;
  const text = value === '' ? html`<span class="soft">empty</span>` : html`${value}`;
  return html`<td data-title="${title}"><span>${differs ? html`<mark>${text}</mark>` : text}</span></td>`;
}
