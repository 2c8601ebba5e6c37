/* The first page: what needs a person, and where files are uploaded; and the list of batches. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import type { BatchView } from '../../engine/status/batch-view.ts';
import { type Html, html, section, tableSection } from '../../output/report/page.ts';
import { countOf, headline } from '../../output/words/wording.ts';
import { type Frame, moment, type Page, uploadForm } from './layout.ts';
import { remedyOffer } from './remedies.ts';

/** What needs a person today. @param batches the newest, the newest first */
export function homePage(frame: Frame, batches: readonly BatchView[]): Page {
  const open = batches.filter(({ remedies, state }) => state === 'running' || remedies.length > 0);
  return {
    title: 'To do',
    part: '/',
    content: [
      frame.may('POST', '/uploads') ? uploadSection(frame) : null,
      open.length === 0
        ? section(
            'Nothing waits for you',
            html`<p class="empty">${frame.may('POST', '/uploads') ? 'Upload a file to begin, or look' : 'Look'} at <a href="/batches">the batches</a>.</p>`,
          )
        : html`${open.map((batch) => todoOf(frame, batch))}`,
    ],
  };
}

function uploadSection(frame: Frame): Html {
  return section(
    'Upload files',
    uploadForm(
      frame,
      '/uploads',
      html`<div class="field"><label for="files">Spreadsheets or CSV files with customers, accounts, recipients or collections</label>
<p class="hint" id="files-hint">Drop them here, or choose them. Nothing is sent before you have seen the totals.</p>
<input type="file" id="files" name="files" multiple required aria-describedby="files-hint"></div>
<div class="actions"><button>Upload and check</button></div>`,
    ),
  );
}

function todoOf(frame: Frame, batch: BatchView): Html {
  const { id, file, sheet, state, needsPerson, remedies } = batch;
  const [first] = remedies;
  const name = sheet === null ? file : `${file}, sheet ${sheet}`;
  const why = state === 'running' ? 'It is under way.' : (first?.why ?? '');
  const person =
    needsPerson === 0 ? null : html`<p class="second">${countOf(needsPerson, 'row')} for a person.</p>`;
  const isPlanned = state === 'planned';
  return html`<section><h2><a href="/batches/${id}">${name}</a></h2>
<p>${isPlanned ? 'Checked, and not sent yet: look at the plan.' : why}</p>${person}
<div class="actions">${first === undefined || isPlanned || state === 'running' ? html`<a class="button" href="/batches/${id}">Look at it</a>` : remedyOffer(frame, first.remedy, { upload: null, batch: id })}</div>
</section>`;
}

/** The newest batches. */
export function batchesPage(batches: readonly BatchView[]): Page {
  const table = tableSection({
    title: 'Newest batches',
    columns: ['Batch', 'File', 'Kind', 'Taken in', 'State', 'Rows', 'For a person', 'Standing'],
    rows: batches.map(({ id, file, sheet, kind, createdAt, state, rows, needsPerson, counts }) => [
      html`<a href="/batches/${id}">${shortBatchId(id)}</a>`,
      sheet === null ? file : `${file}, sheet ${sheet}`,
      kind,
      moment(createdAt),
      state,
      rows,
      needsPerson === 0 ? null : needsPerson,
      headline(rows, counts),
    ]),
  });
  return {
    title: 'Batches',
    part: '/batches',
    content:
      table ??
      section(
        'There are no batches yet',
        html`<p class="empty"><a href="/">Upload a file</a> to make the first one.</p>`,
      ),
  };
}
