/*
 * The files for which people agree on a reading: uploaded files, and exports of the other side. It has their addresses,
 * and the pages before and after the questions about them.
 */

import { type Html, html, section } from '../../account/report/page.ts';
import { kindWord } from '../../account/words/mapping-words.ts';
import type { TablePlace } from '../../propose/dialogue/reading-source.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import type { Upload, UploadReading } from '../under-way/uploads.ts';
import { type Frame, type Page, workingPage } from './layout.ts';
import { action } from './remedies.ts';
import { facts } from './table.ts';
import { uploadSection } from './templates.ts';

/** A file with questions about how it is read. */
export interface AskedFile {
  /** The address of the questions. */
  readonly address: string;
  readonly name: string;
  /** The label of the button that agrees to the whole reading. It names what is shown next. */
  readonly afterwards: string;
}

/** A file of an upload whose reading is agreed on. */
export interface MappedFile extends AskedFile {
  readonly upload: Upload;
  /** Number of the file in the upload, from 1. */
  readonly number: number;
  /** The earlier decisions about how the file is read. */
  readonly reading: UploadReading;
}

/** The address of the questions about a file. */
export function mappingAddress({ upload, number }: Pick<MappedFile, 'upload' | 'number'>): string {
  return `/uploads/${upload.id}/mapping/${number}`;
}

/** The page for choosing one of several files. */
export function chooseFilePage(upload: Upload, isAgain: boolean): Page {
  const query = isAgain ? '?again=yes' : '';
  const links = upload.files.map(
    ({ name }, at) =>
      html`<li><a href="${mappingAddress({ upload, number: at + 1 })}${query}">${name}</a></li>`,
  );
  return {
    title: 'Which file?',
    content: section(
      'Say how a file is read',
      html`<p>Each file is read in its own way. Choose the one whose columns were not understood.</p><ul>${links}</ul>
<p><a href="/uploads/${upload.id}">Back to the check of the files</a></p>`,
    ),
  };
}

/** The known facts about a file. */
export function fileFacts({ name }: AskedFile, place: TablePlace | null): Html {
  return facts([
    ['File', name],
    ['Sheet', place?.sheet ?? null],
    ['Header', place === null ? null : `row ${place.headerRows.join(' and ')}`],
    ['Rows', place === null ? null : kindWord(place.kind)],
  ]);
}

/** The page while the file is being examined. */
export function lookingPage(file: AskedFile): Page {
  return workingPage(
    { title: 'Looking at the file' },
    file.address,
    'The file is looked at again when it is back.',
    html`<p class="headline">Every row is tried with each way to read the file.</p><p>That takes a while for a long one.</p>`,
    fileFacts(file, null),
  );
}

/** The page after a person has stopped the questions about an uploaded file. */
export function stoppedAddress({ address }: MappedFile): string {
  return `${address}/stopped`;
}

/** Says that no answer was kept. Batches that were made from the file before stay unchanged. */
export function stoppedPage(frame: Frame, { name, upload: { id, files, batches } }: MappedFile): Page {
  const [batch, another] = batches;
  return {
    title: 'Stopped: nothing was kept',
    content: [
      html`<section role="status"><p>The questions about how ${name} is read were stopped. Your answers are deleted, and no row was taken in or sent by them.</p>
<div class="actions"><a class="button" href="/">To do</a>
${batch !== undefined && another === undefined ? html`<a class="button second" href="/batches/${batch}">Back to the batch</a>` : null}
${files.length > 1 ? html`<a class="button second" href="/uploads/${id}">The other files of the upload</a>` : null}</div></section>`,
      uploadSection(frame),
    ],
  };
}

/** The page for a file without questions, because its header was agreed on before. */
export function knownPage(frame: Frame, file: MappedFile, name: string | null): Page {
  return {
    title: 'Nothing in this file is new',
    content: html`${fileFacts(file, null)}<section>
<p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions">${action(frame, `/uploads/${file.upload.id}/check`, 'Check the file again')}
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}

/** A file of a reconciliation whose reading is agreed on. */
export interface AskedExport extends AskedFile {
  readonly kept: KeptReconciliation;
  /** Number of the file in the reconciliation, from 1. */
  readonly number: number;
}

/** The address of the questions about an export. */
export function exportAddress(
  { batch, id }: Pick<KeptReconciliation, 'batch' | 'id'>,
  number: number,
): string {
  return `/batches/${batch}/reconcile/${id}/mapping/${number}`;
}

/** The address of the next page: the next file, or the form with the kept files. */
export function afterExport({ kept, number }: AskedExport): string {
  return number < kept.files.length ? exportAddress(kept, number + 1) : waitingAddress(kept);
}

/** The address of the form for a reconciliation that has not begun, with its files. */
export function waitingAddress({ batch, id }: KeptReconciliation): string {
  return `/batches/${batch}/reconcile?kept=${id}`;
}

/** The page for an export without questions, because exports with this header were agreed on before. */
export function knownExportPage(file: AskedExport, name: string | null): Page {
  return {
    title: `How ${file.name} is read is known`,
    content: html`<section><p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions"><a class="button" href="${afterExport(file)}">Go on</a>
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}

/** The possible actions after an error in the dialogue. The answers are kept. */
export function waysAfterFailure(frame: Frame, { address }: AskedFile): Html {
  return html`<section><p>Your answers are kept. The last one may be what does not work: go back to its question, and answer it in another way.</p>
<div class="actions">${action(frame, `${address}/again?without=last`, 'Back to the question before')}${action(frame, `${address}/again`, 'Try again', 'second')}${action(frame, `${address}/again?without=all`, 'Begin anew', 'second')}</div></section>`;
}
