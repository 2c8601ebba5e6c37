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

/** Where somebody goes on: with the next file, or with the form, in which the files are kept. */
export function afterExport({ kept, number }: AskedExport): string {
  return number < kept.files.length ? exportAddress(kept, number + 1) : waitingAddress(kept);
}

/** The form of a reconciliation that is not begun, with its files. */
export function waitingAddress({ batch, id }: KeptReconciliation): string {
  return `/batches/${batch}/reconcile?kept=${id}`;
}

/** There is nothing to ask: exports of this header are read as was agreed to before. */
export function knownExportPage(file: AskedExport, name: string | null): Page {
  return {
    title: `How ${file.name} is read is known`,
    content: html`<section><p>It is read with the remembered mapping${name === null ? '' : ` "${name}"`}.</p>
<div class="actions"><a class="button" href="${afterExport(file)}">Go on</a>
<a class="button second" href="${file.address}?again=yes">Say again how this file is read</a></div></section>`,
  };
}
