/* The result of a reconciliation: each difference with the values of both sides, its meaning and its remedy. */

import { firstTexts } from '../../account/reconciliation/comparison.ts';
import * as sections from '../../account/reconciliation/report.ts';
import { type Html, html, section } from '../../account/report/page.ts';
import { differenceWords, rowRemedyText } from '../../account/words/row-words.ts';
import {
  type DecisionRecord,
  fingerprintOf,
  needsVerdict,
} from '../../domain/batches/difference-decisions.ts';
import type { ComparisonFigures } from '../../domain/batches/reconciliation.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { FoundDifference } from '../../domain/rows/row-state.ts';
import { capital, fieldName } from '../../domain/settings/message.ts';
import {
  countOfDifferences,
  type DifferenceFilter,
  type DifferencesNow,
  type ShownDifference,
} from '../under-way/difference-files.ts';
import type {
  ComparisonsBeside,
  FoundByReconciling,
  KeptReconciliation,
} from '../under-way/reconciliations.ts';
import { type Frame, form, type Page } from './layout.ts';
import { pageStepNames } from './page-words.ts';
import { action, link } from './remedies.ts';
import { facts, moment, sentence, tableView } from './table.ts';

/** The number of differences on one page. */
export const differencesOfAPage = 25;

/** The content of a reconciliation's page. */
interface DifferencesPage {
  readonly kept: KeptReconciliation;
  readonly found: FoundByReconciling;
  /** The name of the batch's file. */
  readonly file: string;
  readonly filter: DifferenceFilter;
  /** Number of the page, from 1. */
  readonly page: number;
  readonly now: DifferencesNow;
  /** Comparisons of the batch with other files. Their lists were replaced by this list, or have replaced it. */
  readonly beside: ComparisonsBeside;
  /** The names of people who may look into a difference; another name can be typed. */
  readonly people: readonly string[];
  /** The decisions about differences of the batch, the oldest first. */
  readonly decisions: readonly DecisionRecord[];
}

/** The name of the field with which a person ticks a difference. */
export function tickName(fingerprint: string): string {
  return `tick-${fingerprint}`;
}

/** The address of a page of differences. */
export function differencesAddress(
  { batch, id }: Pick<KeptReconciliation, 'batch' | 'id'>,
  filter: DifferenceFilter,
  page = 1,
  ending = '',
): string {
  const query = new URLSearchParams();
  if (filter !== null) query.set('kind', filter);
  if (page > 1) query.set('page', String(page));
  return `/batches/${batch}/reconcile/${id}${ending}${query.size === 0 ? '' : `?${query}`}`;
}

/** The page of a reconciliation. */
export function differencesPage(frame: Frame, asked: DifferencesPage): Page {
  const { kept, found, file } = asked;
  const { batch, at, by, files } = kept;
  const { account, sourceNote, comparison, replay } = found;
  const tables = [
    sections.accountSection(account, sourceNote),
    sections.replaySection(replay),
    sections.factsSection(replay),
    ...(comparison === null ? [] : [sections.statesSection(comparison, fieldName)]),
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
      besideNote(asked),
      comparison === null ? null : comparedSection(frame, kept, comparison),
      summary(asked),
      grid(frame, asked),
      decided(asked),
      ...tables.map((each) => tableView(each)),
      html`<div class="actions">${link(frame, `/batches/${batch}/reconcile`, 'Reconcile again')}<a href="/batches/${batch}">Back to the batch</a></div>`,
    ],
  };
}

/** Says which list counts if a batch was compared with several exports: a later comparison replaces an earlier list. */
function besideNote({ beside: { before, after } }: DifferencesPage): Html | null {
  if (after !== null)
    return html`<section class="note" role="status"><p class="headline">A later comparison has replaced this list: ${comparisonLink(after)}.</p><p>"To do" counts the differences of that one only. What is decided here still counts where it was found there as well.</p></section>`;
  if (before === null) return null;
  return html`<section class="note"><p>This list has replaced that of ${comparisonLink(before)}. What was open there and is not found here is no longer in "To do".</p></section>`;
}

function comparisonLink(kept: KeptReconciliation): Html {
  const names = kept.files.map(({ name }) => name).join(', ');
  return html`<a href="${differencesAddress(kept, null)}">the comparison with ${names}</a>, ${moment(kept.at)}${kept.by === null ? null : html`, by ${kept.by}`}`;
}

/** What was compared and what was not checked. It is shown before the differences. */
function comparedSection(frame: Frame, kept: KeptReconciliation, comparison: ComparisonFigures): Html {
  const [compared = null, ...open] = firstTexts(comparison, fieldName).map(sentence);
  const buttons = kept.files.flatMap(({ name }, at) => {
    const address = differencesAddress(kept, null, 1, `/again/${at + 1}`);
    return frame.may('POST', address) ? [action(frame, address, `Say how ${name} is read`, 'second')] : [];
  });
  return html`<section aria-label="What was compared"><p>${compared}</p>
${open.map((text) => html`<p>${text}</p>`)}${buttons.length === 0 ? null : html`<div class="actions">${buttons}</div>`}</section>`;
}

/** The number of open differences of each kind, with its meaning and a link that shows only that kind. */
function summary({ kept, now, filter }: DifferencesPage): Html {
  const all = countOfDifferences(now, null);
  const accepted =
    now.accepted === 0
      ? null
      : html`<p><a href="${differencesAddress(kept, 'accepted')}"${filter === 'accepted' ? html` aria-current="true"` : null}>Accepted: ${countOf(now.accepted, 'difference')}</a>, which count no more.</p>`;
  if (all === 0)
    return html`<section><p class="headline">No difference.</p><p>${accepted === null ? 'Everything that was compared agrees. The tables below tell what that was.' : 'What differs was accepted.'}</p>${accepted}</section>`;
  const items = now.kinds.map((each) => {
    const { name, meaning } = differenceWords(each.kind);
    const current = each.kind === filter ? html` aria-current="true"` : null;
    return html`<li><b class="number">${groupedNumber(each.count)}</b><span><a href="${differencesAddress(kept, each.kind)}"${current}>${name}</a> <span class="soft">${meaning}</span></span></li>
`;
  });
  return html`<section><p class="headline">${countOf(all, 'difference')}</p>
<ul class="kinds">${items}</ul>${accepted}</section>`;
}

function grid(frame: Frame, asked: DifferencesPage): Html | null {
  const { kept, filter, page, now } = asked;
  const { shown } = now;
  const count = filter === 'accepted' ? now.accepted : countOfDifferences(now, filter);
  if (count === 0) return null;
  const first = (page - 1) * differencesOfAPage;
  const title =
    filter === null
      ? 'Both sides next to each other'
      : filter === 'accepted'
        ? 'Accepted'
        : differenceWords(filter).name;
  const place =
    shown.length === 0
      ? html`<p class="empty">There is nothing on this page. <a href="${differencesAddress(kept, filter)}">The first page</a> has the first ones.</p>`
      : html`<p class="soft">${groupedNumber(first + 1)} to ${groupedNumber(first + shown.length)} of ${countOf(count, 'difference')}.${filter === null ? null : html` <a href="${differencesAddress(kept, null)}">All kinds</a>`}</p>`;
  const isLast = first + shown.length >= count;
  const address = differencesAddress(kept, null, 1, '/decide');
  const decides = frame.may('POST', address);
  const table = html`<div class="scroll" role="region" aria-label="Differences" tabindex="0"><table class="sides">
<thead><tr><th scope="col">Difference</th><th scope="col">Value</th><th scope="col">In the ledger</th><th scope="col">On the other side</th></tr></thead>
${shown.map((each) => difference(frame, kept.batch, each, decides))}</table></div>`;
  return section(title, [
    place,
    shown.length === 0 ? null : decides ? form(frame, address, [table, decisionFields(asked, count)]) : table,
    html`<div class="actions">
${page <= 1 ? null : html`<a class="button second" rel="prev" href="${differencesAddress(kept, filter, page - 1)}">Previous</a>`}
${isLast || shown.length === 0 ? null : html`<a class="button second" rel="next" href="${differencesAddress(kept, filter, page + 1)}">Next</a>`}
<a href="${differencesAddress(kept, filter, 1, '/differences.csv')}">Download as CSV<span class="visually-hidden">: ${title}</span></a></div>`,
  ]);
}

/** The possible decisions about the ticked differences, or about all differences under the page's filter. */
function decisionFields({ filter, now, people }: DifferencesPage, count: number): Html {
  const all =
    filter === null ? 'All of them' : filter === 'accepted' ? 'All that were accepted' : 'All of this kind';
  const isInDoubt = filter === 'in_doubt_found' || filter === 'undecided';
  const hasFound = now.shown.some(
    ({ difference }) => needsVerdict(difference) && difference.foundId !== null,
  );
  const isAccepting = filter !== 'accepted' && !isInDoubt;
  const buttons =
    filter === 'accepted'
      ? html`<button class="second" name="do" value="reopen">Open again</button>`
      : html`${isInDoubt ? null : html`<button name="do" value="accept" data-key="accept">Accept</button>`} ${hasFound ? html`<button class="second" name="do" value="created" formnovalidate>Record that they were created</button>` : null}`;
  const explained =
    filter === 'accepted'
      ? 'Opened again, they count as differences.'
      : isInDoubt
        ? 'A row in doubt needs a verdict. Where the other side has its id for certain, one verdict can be given about all of them.'
        : 'An accepted difference stays listed and counts no more. It counts again as soon as one of its values is another. A row in doubt is not accepted: it needs a verdict.';
  return html`<input type="hidden" name="kind" value="${filter ?? ''}">
<fieldset class="decide"><legend>Decide</legend>
<div class="choices"><label class="choice"><input type="radio" name="which" value="ticked" checked> <span>Those that are ticked</span></label>
<label class="choice"><input type="radio" name="which" value="all"> <span>${all}: ${groupedNumber(count)}</span></label></div>
<div class="field"><label for="note">Note: why?</label><input id="note" name="note" maxlength="500" size="60"${isAccepting ? html` required` : null}></div>
<div class="actions">${buttons}</div>
${filter === 'accepted' ? null : html`<div class="filter"><div><label for="to">Or somebody looks into it</label><input id="to" name="to" maxlength="100" autocomplete="off"${people.length === 0 ? null : html` list="people"`}>${people.length === 0 ? null : html`<datalist id="people">${people.map((name) => html`<option value="${name}"></option>`)}</datalist>`}</div><button class="second" name="do" value="give" formnovalidate>Give to</button></div>`}
<p class="hint">${explained}</p></fieldset>`;
}

const decisionsListed = 20;

/** The decisions about differences of the batch, the newest first. */
function decided({ decisions }: DifferencesPage): Html | null {
  if (decisions.length === 0) return null;
  const items = decisions
    .slice(-decisionsListed)
    .reverse()
    .map(({ at, by, note, ...each }) => {
      const count = each.differences.reduce((sum, { occurrences }) => sum + occurrences, 0);
      const kinds = [...new Set(each.differences.map(({ kind }) => differenceWords(kind).name))].join(', ');
      return html`<li>${moment(at)}<div>${decisionName(each)}: ${countOf(count, 'difference')} <span class="soft">(${kinds}), by ${by}</span>${note === '' ? null : html`<p>${note}</p>`}</div></li>`;
    });
  return section('What was decided', html`<ol class="events">${items}</ol>`);
}

function decisionName({ decision, assignedTo }: Pick<DecisionRecord, 'decision' | 'assignedTo'>): string {
  if (decision === 'accepted') return 'Accepted';
  return decision === 'reopened' ? 'Opened again' : `Given to ${assignedTo ?? ''}`;
}

/** One difference: its kind on the left, then a line for each value with both sides. */
function difference(
  frame: Frame,
  batch: string,
  { difference: found, decision }: ShownDifference,
  decides: boolean,
): Html {
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
  return html`<tbody><tr><th scope="rowgroup" rowspan="${lines.length}">${about(frame, batch, found, decides)}${decisionOf(decision)}</th>${first ?? null}</tr>
${others.map((line) => html`<tr>${line}</tr>\n`)}</tbody>
`;
}

function about(frame: Frame, batch: string, found: FoundDifference, decides: boolean): Html {
  const { kind, row, status, evidence, action, foundId } = found;
  const { name, next } = differenceWords(kind);
  const isUndecided = status === 'held' || status === 'unknown';
  const step =
    isUndecided && foundId !== null
      ? `If that is right, decide that row ${row ?? ''} was created, with the id ${foundId}.`
      : isUndecided && action !== null
        ? rowRemedyText(action, pageStepNames)
        : next;
  const address = row === null ? null : `/batches/${batch}/rows/${row}`;
  const takesVerdict = isUndecided && address !== null && frame.may('POST', `${address}/verdict`);
  const where = row === null ? `, row ${found.there?.row ?? ''} there` : `, row ${row}`;
  const isTicked = decides && (!isUndecided || foundId !== null);
  return html`${isTicked ? html`<label class="choice"><input type="checkbox" name="${tickName(fingerprintOf(found))}" value="yes" data-key="tick"> <b>${name}<span class="visually-hidden">${where}</span></b></label>` : html`<b>${name}</b>`}${evidence === '' ? null : html`<p class="soft">${wholeSentence(evidence)}</p>`}<p>${wholeSentence(step)}</p>${address === null ? null : takesVerdict ? html`<a class="button second" href="${address}#decide">Decide about row ${groupedNumber(row ?? 0)}</a>` : html`<a href="${address}">Look at row ${groupedNumber(row ?? 0)}</a>`}`;
}

/** The person who accepted a difference, or who looks into it. */
function decisionOf(decision: DecisionRecord | null): Html | null {
  if (decision === null) return null;
  const { by, at, note } = decision;
  return html`<p class="decision"><b>${decisionName(decision)}</b> <span class="soft">by ${by}, ${moment(at)}</span>${note === '' ? null : html`<br>${note}`}</p>`;
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

/** A value of one side. On a narrow page, a missing value takes no space. */
function side(title: 'Here' | 'There', value: string | null, differs: boolean): Html {
  if (value === null) return html`<td class="none" data-title="${title}"><span class="soft">—</span></td>`;
  const text = value === '' ? html`<span class="soft">empty</span>` : html`${value}`;
  return html`<td data-title="${title}"><span>${differs ? html`<mark>${text}</mark>` : text}</span></td>`;
}
