import { readFileSync } from 'node:fs';
import { type FileSystem, realFileSystem } from '../../disk/file-system.ts';
import type { CreatedObject } from '../../domain/rows/result-row.ts';
import { ReplacementFile, removeFile } from '../files/replacement-file.ts';
import { Html, html } from '../report/page.ts';

export interface SheetsHeading {
  /** The file by the name that people know. */
  readonly file: string;
  readonly isLive: boolean;
}

/**
 * `STEM.instructions.html`: a printable sheet for each payer, and an index at the front. The sheets are written to a file
 * of their own while the rows are read, since the index comes first and is known only at the end. So memory does not grow
 * with the number of payers.
 */
export class InstructionSheets {
  readonly #path: string;
  readonly #heading: SheetsHeading;
  readonly #files: FileSystem;
  #parts: { readonly page: ReplacementFile; readonly sheets: ReplacementFile } | null = null;

  constructor(path: string, heading: SheetsHeading, files: FileSystem = realFileSystem) {
    this.#path = path;
    this.#heading = heading;
    this.#files = files;
  }

  /**
   * A row that repeats another one gets no sheet: no payer is to be asked twice.
   * @throws OutputError
   */
  async write(objects: readonly CreatedObject[]): Promise<void> {
    const payers = objects.filter(({ row, facts }) => row.sameAs === undefined && hasInstruction(facts));
    if (payers.length === 0) return;
    this.#parts ??= await this.#begin();
    await this.#parts.page.write(payers.map((payer) => indexLine(payer).text).join(''));
    // The sanitizer is large, and most batches have no instructions.
    const { safeInstruction } = await import('./instruction.ts');
    const sheets = payers.map((payer) => sheet(payer, this.#heading, safeInstruction).text);
    await this.#parts.sheets.write(sheets.join(''));
  }

  /**
   * Gives the file its name, or removes an older one where nothing was written.
   * @throws OutputError
   */
  async publish(): Promise<string | null> {
    if (this.#parts === null) {
      await removeFile(this.#path, this.#files);
      return null;
    }
    const { page, sheets } = this.#parts;
    await page.write(indexEnd.text);
    await sheets.complete();
    for await (const text of sheets.read()) await page.write(text);
    await page.write(pageEnd.text);
    await page.complete();
    await page.publish();
    await sheets.discard();
    return this.#path;
  }

  async discard(): Promise<void> {
    await this.#parts?.page.discard();
    await this.#parts?.sheets.discard();
  }

  async #begin(): Promise<{ page: ReplacementFile; sheets: ReplacementFile }> {
    const page = await ReplacementFile.create(this.#path, this.#files);
    try {
      await page.write(pageStart(this.#heading).text);
      return { page, sheets: await ReplacementFile.create(`${this.#path}.sheets`, this.#files) };
    } catch (error) {
      await page.discard();
      throw error;
    }
  }
}

function hasInstruction(facts: CreatedObject['facts']): boolean {
  return (facts?.values['instruction'] ?? '').trim() !== '';
}

function pageStart({ file, isLive }: SheetsHeading): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${isLive ? null : 'TEST: '}Payment instructions: ${file}</title>
${sheetStyle}
</head>
<body>
${isLive ? null : testOnEveryPage}<main>
<nav>
<h1>Payment instructions</h1>
${isLive ? null : testBanner}<p>One sheet for each payer, from ${file}.</p>
<table>
<thead><tr><th>Row</th><th>Reference</th><th class="number">Amount</th><th>Currency</th></tr></thead>
<tbody>
`;
}

function indexLine({ row, reference, facts, contradiction }: CreatedObject): Html {
  const { amount = '', currency = '' } = facts?.values ?? {};
  const mark = contradiction === null ? null : html` <b>(do not hand out)</b>`;
  const link = html`<a href="#row-${row.row}">${reference}</a>${mark}`;
  return html`<tr><td>${row.row}</td><td>${link}</td><td class="number">${amount}</td><td>${currency}</td></tr>
`;
}

const indexEnd = html`</tbody>
</table>
</nav>
`;

/** On each sheet: a person may get only one sheet of the page. */
const testBanner = html`<p class="test">TEST: made in the sandbox. Do not pay: no money arrives.</p>
`;

/** Repeated by printers on every page, and so on the later ones of a long instruction too. */
const testOnEveryPage = html`<p class="watermark" aria-hidden="true">TEST</p>
`;

function sheet(
  { row, reference, facts, contradiction }: CreatedObject,
  { isLive }: SheetsHeading,
  safeInstruction: (markup: string) => string,
): Html {
  const { amount = '', currency = '', client_reference = '', instruction = '' } = facts?.values ?? {};
  const warning =
    contradiction === null
      ? null
      : html`<p class="warning">Do not hand out before it is looked at: ${contradiction}</p>`;
  return html`<article id="row-${row.row}">
${isLive ? null : testBanner}<h2><span>Reference</span> ${client_reference === '' ? reference : client_reference}</h2>
${warning}<p class="amount"><span>Amount</span> <b>${amount} ${currency}</b></p>
<h3>How to pay</h3>
<div class="instruction">${new Html(safeInstruction(instruction))}</div>
<footer>Transaction ${row.objectId}, row ${row.row}</footer>
</article>
`;
}

const pageEnd = html`</main>
</body>
</html>
`;

/** Black on white for printing; each payer's sheet begins a page. */
const sheetStyle = new Html(
  `<style>\n${readFileSync(new URL('./instruction-sheets.css', import.meta.url), 'utf8')}</style>`,
);
