/* The page for correcting one column of many rows at once: the change, and a preview of it. */

import { type Html, html, section } from '../../account/report/page.ts';
import { reasonName, statusLabel } from '../../account/words/wording.ts';
import type { ColumnChange } from '../../domain/batches/draft.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import type { RowFilter } from '../../domain/rows/search-terms.ts';
import type { EditPreview, PreviewResult } from '../../engine/drafts/edit.ts';
import { option } from './answer-options.ts';
import { afterText, columnName, ownColumns, quoted } from './cells.ts';
import { type Frame, form, hiddenFields, type Page, queryOf, rowsAddress } from './layout.ts';

/** The content of the page for editing many rows. */
interface EditPage {
  readonly batch: PreviewResult['batch'];
  readonly columns: readonly string[];
  readonly filter: RowFilter;
  /** The column's place; null if no column is chosen. */
  readonly place: number | null;
  readonly change: ColumnChange | null;
  readonly preview: EditPreview | null;
}

/** The page of an edit of many rows. */
export function editPage(frame: Frame, page: EditPage): Page {
  const { batch, filter, preview } = page;
  return {
    title: 'Correct many rows',
    part: '/batches',
    content: [
      html`<p><a href="${rowsAddress(batch.id, filter)}">Back to the rows</a></p>`,
      section('What is to become of them', [html`<p>${filterText(batch.file, filter)}</p>`, choosing(page)]),
      preview === null ? null : previewSection(frame, page, preview),
    ],
  };
}

function filterText(file: string, { status, code, column, text }: RowFilter): string {
  const parts = [
    ...(status === undefined ? [] : [`that are ${statusLabel(status)}`]),
    ...(code === undefined ? [] : [`with the reason "${reasonName(code)}"`]),
    ...(column === undefined || column === '' ? [] : [`about the column ${column}`]),
    ...(text === undefined ? [] : [`with the text ${quoted(text)}`]),
  ];
  return `Rows of ${file}${parts.length === 0 ? '' : ` ${parts.join(', ')}`}. Only those that can still be corrected are changed.`;
}

function choosing({ batch, columns, filter, place, change }: EditPage): Html {
  const meant = place ?? columns.indexOf(filter.column ?? '');
  const options = ownColumns(columns).map(({ title, place: at }) => option(String(at), title, at === meant));
  const kept = hiddenFields(queryOf(filter));
  const radio = (kind: ColumnChange['kind']): Html =>
    html`<input type="radio" name="kind" value="${kind}" required${change?.kind === kind ? html` checked` : null}>`;
  return html`<form method="get" action="/batches/${batch.id}/edit">${kept}
<div class="field"><label for="place">Column</label><select id="place" name="place">${options}</select></div>
<fieldset><legend>Change</legend>
<label class="choice">${radio('begin')}<span><b>Another beginning</b> <span class="soft">such as +254 in place of a leading 0; leave the old beginning empty to put something before every value</span></span></label>
<label class="choice">${radio('end')}<span><b>Another ending</b> <span class="soft">such as nothing in place of .0; leave the old ending empty to put something behind every value</span></span></label>
<label class="choice">${radio('find')}<span><b>Find and replace</b> <span class="soft">wherever a cell has the text</span></span></label>
<label class="choice">${radio('replace')}<span><b>One value by another</b> <span class="soft">where the cell is exactly the old value</span></span></label>
<label class="choice">${radio('set')}<span><b>The same value for all</b></span></label>
<label class="choice">${radio('confirm')}<span><b>The numbers are right as they are</b> <span class="soft">those that were refused since a spreadsheet program may have damaged them</span></span></label></fieldset>
<div class="filter"><div><label for="from">Old beginning, ending or text, or old value</label><input id="from" name="from" value="${fromOf(change)}" maxlength="1000"></div>
<div><label for="with">New</label><input id="with" name="with" value="${withOf(change)}" maxlength="1000"></div>
<div><button class="second">Show what it would do</button></div></div></form>`;
}

/** The text that a change searches for, for its form. */
function fromOf(change: ColumnChange | null): string {
  return change !== null && 'from' in change ? change.from : '';
}

/** The replacement text of a change, for its form. */
function withOf(change: ColumnChange | null): string {
  return change === null || change.kind === 'confirm' ? '' : change.with;
}

function previewSection(
  frame: Frame,
  { batch, columns, filter, place, change }: EditPage,
  preview: EditPreview,
): Html {
  const { rows, unchanged, leftOut, samples, hash } = preview;
  const others = [
    unchanged > 0 && `${countOf(unchanged, 'row')} would stay as ${unchanged === 1 ? 'it is' : 'they are'}.`,
    leftOut > 0 &&
      `${countOf(leftOut, 'row')} cannot be corrected, and ${leftOut === 1 ? 'is' : 'are'} left out.`,
  ]
    .filter((text) => text !== false)
    .join(' ');
  if (rows === 0)
    return section(
      'Nothing would change',
      html`<p class="empty">${others === '' ? 'No row is like that.' : others} Choose another column or change.</p>`,
    );
  const fields = hiddenFields([
    ...([...queryOf(filter), ['place', String(place ?? 0)], ['kind', change?.kind ?? '']] as const),
    ...([
      ['from', fromOf(change)],
      ['with', withOf(change)],
      ['hash', hash],
    ] as const),
  ]);
  const lines = samples.map(
    ({ row, before, after }) =>
      html`<tr><th scope="row" class="number"><a href="/batches/${batch.id}/rows/${row}">${groupedNumber(row)}</a></th><td data-title="Before">${before === '' ? html`<span class="soft">empty</span>` : before}</td><td data-title="After">${after === '' ? html`<span class="soft">empty</span>` : afterText({ before, after })}</td></tr>
`,
  );
  const name = columnName(columns, place ?? 0);
  const title =
    change?.kind === 'confirm'
      ? `${name}: ${countOf(rows, 'number')} ${rows === 1 ? 'is' : 'are'} right as ${rows === 1 ? 'it is' : 'they are'}`
      : `${name}: ${countOf(rows, 'row')} would change`;
  return section(title, [
    html`<div class="scroll row-table" role="region" aria-label="Before and after" tabindex="0"><table><thead><tr><th scope="col" class="number">Row</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>
${lines}</tbody></table></div>${rows > samples.length ? html`<p class="soft">These are the first ${samples.length}.</p>` : null}${others === '' ? null : html`<p>${others}</p>`}`,
    form(
      frame,
      `/batches/${batch.id}/edit`,
      html`${fields}<div class="actions"><button>Keep ${countOf(rows, 'edit')} in the draft</button><span class="soft">Nothing is sent by it, and it can be taken back.</span></div>`,
    ),
  ]);
}
