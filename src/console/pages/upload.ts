/* Where files are uploaded, with empty ones to fill in. */

import { type Html, html, section } from '../../account/report/page.ts';
import { type Frame, uploadForm } from './layout.ts';
import { templatesOffer } from './templates.ts';

/** The form for files, for those who may upload. */
export function uploadSection(frame: Frame): Html | null {
  if (!frame.may('POST', '/uploads')) return null;
  return section('Upload files', [
    uploadForm(
      frame,
      '/uploads',
      html`<div class="field"><label for="files">Spreadsheets or CSV files with customers, accounts, recipients or collections</label>
<p class="hint" id="files-hint">Drop them here, or choose them. Nothing is sent before you have seen the totals.</p>
<input type="file" id="files" name="files" multiple required aria-describedby="files-hint"></div>
<div class="actions"><button>Upload and check</button></div>`,
    ),
    templatesOffer(),
  ]);
}
