/*
 * Files that people receive: the sheets of payment instructions and the facts of created objects. Older files can be
 * set aside before new ones replace them.
 */

import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type FileSystem, realFileSystem, writeError } from '../../disk/file-system.ts';
import type { CreatedObject, FactColumn } from '../../domain/rows/result-row.ts';
import { OptionalCsvFile, ReplacementFile, removeFile } from '../files/replacement-file.ts';
import { Html, html } from '../report/page.ts';

interface HandedOverOptions extends SheetsHeading {
  readonly directory: string;
  /** The beginning of the files' names, from `resultStem`. */
  readonly stem: string;
  readonly columns: readonly FactColumn[];
  /** The titles of the columns by which people recognise a row, besides its reference. */
  readonly own: readonly string[];
}

/** Paths of the files that hand over created objects; null for a file that would be empty. */
export interface HandedOverFiles {
  readonly objects: string | null;
  readonly instructions: string | null;
  /** Number of objects whose facts this ledger lacks. */
  readonly missingResponses: number;
}

/** The columns before and after the object's own fields. */
const columnsBefore = ['result_row', 'result_status', 'result_reference'];
const columnsBehind = ['result_notes'];

/**
 * The files that hand over created objects: the sheets of instructions, and `STEM.objects.csv` with the API's answers
 * about all existing objects, field by field. They are written while the rows are written into the other files. A batch
 * without objects has neither file.
 */
export class HandedOver {
  readonly #columns: readonly FactColumn[];
  readonly #objects: OptionalCsvFile;
  readonly #sheets: InstructionSheets;
  #missingResponses = 0;

  constructor({ directory, stem, columns, own, ...heading }: HandedOverOptions) {
    this.#columns = columns;
    const names = columns.map(({ name }) => name);
    const titles = [...columnsBefore, ...own, 'result_id', ...names, ...columnsBehind];
    this.#objects = new OptionalCsvFile(join(directory, `${stem}.objects.csv`), titles);
    this.#sheets = new InstructionSheets(join(directory, `${stem}.instructions.html`), heading);
  }

  /**
   * Writes the objects of a group of rows. After an unexpected end, `discard` removes what is left.
   * @throws OutputError
   */
  async write(objects: readonly CreatedObject[]): Promise<void> {
    if (objects.length === 0) return;
    this.#missingResponses += objects.filter(({ facts }) => facts === null).length;
    const textOfMarkup = await this.#textOfMarkup();
    await this.#objects.write(objects.map((object) => this.#record(object, textOfMarkup)));
    await this.#sheets.write(objects);
  }

  /** @throws OutputError */
  async publish(): Promise<HandedOverFiles> {
    const objects = await this.#objects.publish();
    return { objects, instructions: await this.#sheets.publish(), missingResponses: this.#missingResponses };
  }

  async discard(): Promise<void> {
    await this.#objects.discard();
    await this.#sheets.discard();
  }

  /** The markup parser is large, so it is loaded only if a field has markup. */
  async #textOfMarkup(): Promise<(markup: string) => string> {
    if (!this.#columns.some(({ isMarkup }) => isMarkup)) return (markup) => markup;
    return (await import('./instruction.ts')).instructionText;
  }

  #record({ row, reference, own, facts }: CreatedObject, textOfMarkup: (markup: string) => string): string[] {
    const cells = this.#columns.map(({ name, isMarkup }) => {
      const value = facts?.values[name] ?? '';
      return isMarkup ? textOfMarkup(value) : value;
    });
    return [
      ...[String(row.row), row.status, reference, ...own],
      ...[row.objectId ?? '', ...cells, row.notes.join('; ')],
    ];
  }
}

/**
 * Renames files that were handed over, so that the next files do not replace them: after the loss of a ledger they are
 * the only record of the answers.
 * @param paths missing files are skipped
 * @returns the new paths: `X.objects.csv` becomes `X.objects.before-recover.csv`, or the first free number after it
 * @throws OutputError
 */
export async function setAside(
  paths: readonly string[],
  files: Pick<FileSystem, 'rename'> = realFileSystem,
): Promise<string[]> {
  const kept: string[] = [];
  for (const path of paths.filter((each) => existsSync(each))) {
    const to = freeName(path);
    try {
      await files.rename(path, to);
    } catch (error) {
      throw writeError(to, error);
    }
    kept.push(to);
  }
  return kept;
}

function freeName(path: string): string {
  const ending = extname(path);
  const beginning = `${path.slice(0, -ending.length)}.before-recover`;
  for (let number = 1; ; number += 1) {
    const name = `${beginning}${number === 1 ? '' : `-${number}`}${ending}`;
    if (!existsSync(name)) return name;
  }
}

interface SheetsHeading {
  /** The file's name as people know it. */
  readonly file: string;
  readonly isLive: boolean;
}

/**
 * `STEM.instructions.html`: a printable sheet for each payer, and an index at the front. The index comes first, but it
 * is known only at the end. So the sheets are written to a temporary file while the rows are read, and memory does not
 * grow with the number of payers.
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
   * Writes sheets for a group of objects. A row that repeats another one gets no sheet: no payer is to be asked twice.
   * @throws OutputError
   */
  async write(objects: readonly CreatedObject[]): Promise<void> {
    const payers = objects.filter(({ row, facts }) => row.sameAs === undefined && hasInstruction(facts));
    if (payers.length === 0) return;
    this.#parts ??= await this.#begin();
    await this.#parts.page.write(payers.map((payer) => indexLine(payer).text).join(''));
    // The sanitizer is large, and most batches have no instructions. So it is loaded only here.
    const { safeInstruction } = await import('./instruction.ts');
    const sheets = payers.map((payer) => sheet(payer, this.#heading, safeInstruction).text);
    await this.#parts.sheets.write(sheets.join(''));
  }

  /**
   * Gives the file its name, or removes an older file if nothing was written.
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

/** The banner is on each sheet, because a person may get only one sheet of the page. */
const testBanner = html`<p class="test">TEST: made in the sandbox. Do not pay: no money arrives.</p>
`;

/** Printers repeat this mark on every page, including the later pages of a long instruction. */
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

/** The style is black on white for printing. Each payer's sheet begins on a new page. */
const sheetStyle = new Html(
  `<style>\n${readFileSync(new URL('./instruction-sheets.css', import.meta.url), 'utf8')}</style>`,
);
