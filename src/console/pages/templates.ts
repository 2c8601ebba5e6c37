/* Links to empty files to fill in, shown where files are uploaded. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { Kind } from '../../domain/batches/batch.ts';
import { kinds, payeeTypesOf } from '../../engine/choices.ts';
import { type Frame, uploadForm } from './layout.ts';

/** The formats of a template, the most requested first. */
export const formats = ['xlsx', 'csv'] as const;

/** The selection of a template. */
interface TemplateChoice {
  readonly kind: Kind;
  /** The payee type; null for all payee types of the kind. */
  readonly payeeType: string | null;
  readonly format: (typeof formats)[number];
}

/** The name of a template's file, which is also the last part of its address. */
export function templateName({ kind, payeeType, format }: TemplateChoice): string {
  return `${kind}${payeeType === null ? '' : `-${payeeType}`}.${format}`;
}

/** Links to all templates, folded. @param isOpen whether they are the page's main content */
export function templatesOffer(isOpen = false): Html {
  const lines = kinds.map((kind) => {
    const types = payeeTypesOf(kind).map(
      (payeeType) => html`<li>only ${payeeType.replaceAll('_', ' ')}: ${links(kind, payeeType)}</li>`,
    );
    return html`<li>${kind}: ${links(kind, null)}${types.length === 0 ? null : html`<ul>${types}</ul>`}</li>`;
  });
  return html`<details class="templates"${isOpen ? html` open` : null}><summary>Empty files to fill in</summary>
<p class="hint">Each has the columns of its rows, and examples, which are never sent. The workbook explains every column.</p>
<ul>${lines}</ul></details>`;
}

function links(kind: Kind, payeeType: string | null): Html {
  const [workbook, csv] = formats.map((format) => `/templates/${templateName({ kind, payeeType, format })}`);
  const of = html`<span class="visually-hidden"> of ${kind}${payeeType === null ? '' : `, ${payeeType.replaceAll('_', ' ')}`}</span>`;
  return html`<a href="${workbook ?? ''}" download>workbook${of}</a>, <a href="${csv ?? ''}" download>CSV${of}</a>`;
}

/* The section for uploading files, with templates to fill in. */

/** The form for files, for people who may upload. */
export function uploadSection(frame: Frame): Html | null {
  if (!frame.may('POST', '/uploads')) return null;
  return section('Upload files', [
    uploadForm(
      frame,
      '/uploads',
      html`<div class="field"><label for="files">Spreadsheets or CSV files with customers, accounts, recipients or collections</label>
<p class="hint" id="files-hint">Drop them anywhere on the page, or choose them. Nothing is sent before you have seen the totals.</p>
<input type="file" id="files" name="files" multiple required aria-describedby="files-hint"></div>
<div class="actions"><button>Upload and check</button></div>`,
    ),
    templatesOffer(),
  ]);
}
