/* The pages on which a person says how an export of the other side is read. */

import { html } from '../../account/report/page.ts';
import type { KeptReconciliation } from '../under-way/reconciliations.ts';
import type { Page } from './layout.ts';
import type { AskedFile } from './mapping.ts';

/** A file of a reconciliation whose reading is agreed on. */
export interface AskedExport extends AskedFile {
  readonly kept: KeptReconciliation;
  /** Counts the files of the reconciliation from 1. */
  readonly number: number;
}

/** The address of the questions about an export. */
export function exportAddress(
  { batch, id }: Pick<KeptReconciliation, 'batch' | 'id'>,
  number: number,
): string {
  return `/batches/${batch}/reconcile/${id}/mapping/${number}`;
}

/** The next page: for the next file, or the form with the kept files. */
export function afterExport({ kept, number }: AskedExport): string {
  return number < kept.files.length ? exportAddress(kept, number + 1) : waitingAddress(kept);
}

/** The address of the form of a reconciliation that has not begun, with its files. */
export function waitingAddress({ batch, id }: KeptReconciliation): string {
  return `/batches/${batch}/reconcile?kept=${id}`;
}

/** The page without a question: exports with this header are read as agreed before. */
export function knownExportPage(file: AskedExport, name: string | null): Page {
  return {
    title: `How ${file.name} is read is known`,
    content: html`<section><p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions"><a class="button" href="${afterExport(file)}">Go on</a>
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}
