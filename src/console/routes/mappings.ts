/* The pages of remembered mappings. */

import { type Html, html, section } from '../../account/report/page.ts';
import type { Table } from '../../account/table.ts';
import {
  fieldsWord,
  fieldWord,
  kindWord,
  meaningText,
  repairName,
  valueWord,
} from '../../account/words/mapping-words.ts';
import type { ExportMapping, MappingFile, ShownMapping } from '../../engine/mapping.ts';
import { actorOf } from '../access/sessions.ts';
import { type Frame, form, type Page } from '../pages/layout.ts';
import { link } from '../pages/remedies.ts';
import { facts, linkCell, moment, tableView } from '../pages/table.ts';
import { PageProblem } from '../under-way/failures.ts';
import { type At, type Routes, viewerOf } from './context.ts';

/* The pages of remembered mappings: the list, one mapping in plain words, and the question whether to forget it. */

const what =
  'What somebody has said of how a file is read is remembered for all files with the same header: they need no question any more.';

/** The remembered mappings, the newest first. */
function mappingsPage(mappings: readonly ShownMapping[]): Page {
  const table = tableView({
    title: 'Remembered mappings',
    introduction: what,
    columns: ['Name', 'Rows', 'Sheet', 'Since', 'Header'],
    rows: mappings.map(({ id, name, kind, mapping, rememberedAt, header }) => [
      linkCell(name, `/mappings/${id}`),
      kind ?? 'exports',
      'sheet' in mapping ? (mapping.sheet ?? null) : null,
      { time: rememberedAt },
      titlesOf(header),
    ]),
  });
  return {
    title: 'Mappings',
    part: '/mappings',
    content:
      table ??
      section(
        'Nothing is remembered yet',
        html`<p class="empty">${what}</p>
<p class="empty"><a href="/">Upload a file</a>. If its columns are not understood, you are asked what they are.</p>`,
      ),
  };
}

function titlesOf(header: readonly string[]): string {
  return header.filter((title) => title !== '').join(', ');
}

/** One mapping in plain words. */
function mappingPage(frame: Frame, shown: ShownMapping): Page {
  const { id, name, kind, header, rememberedAt } = shown;
  const mapping = readingOf(shown);
  const forget = `/mappings/${id}/forget`;
  return {
    title: name,
    part: '/mappings',
    content: [
      facts([
        ['Rows', kind === null ? 'exports to compare with' : kindWord(kind)],
        ['Sheet', mapping.sheet ?? null],
        ['Remembered', moment(rememberedAt)],
      ]),
      tableView({
        title: 'Columns',
        columns: ['Column of the file', 'is read as', 'Repaired'],
        rows: columnsOf(header, mapping).map(({ title, field, repairs }) => [title, field, repairs]),
      }),
      ...[constantsOf(mapping), ...valuesOf(mapping)].map((table) => tableView(table)),
      rulesOf(mapping),
      frame.may('GET', forget)
        ? html`<section><h2>Another reading</h2>
<p>${kind === null ? 'To change it, reconcile a batch with an export of this header, and say there how it is read.' : 'To change it, upload a file with this header, and choose "Say again how this file is read" on the page of its batch.'}</p>
<div class="actions">${link(frame, forget, 'Forget it')}</div></section>`
        : null,
    ],
  };
}

/** The content of a mapping, for files to import or for exports. */
type ShownReading = MappingFile & Pick<ExportMapping, 'minorUnits' | 'compare'>;

function readingOf(shown: ShownMapping): ShownReading {
  if (shown.purpose === 'import') return shown.mapping;
  const { columns, constants, values, dateFormat, decimal, thousands } = shown.mapping;
  const { currencySigns, minorUnits, compare } = shown.mapping;
  return {
    ...{ columns, constants, values, dateFormat, decimal, thousands },
    ...{ currencySigns, minorUnits, compare },
  };
}

interface ShownColumn {
  readonly title: string;
  readonly field: string;
  readonly repairs: string | null;
}

/** The columns in the order of the file. */
function columnsOf(header: readonly string[], mapping: ShownReading): readonly ShownColumn[] {
  const { kind = '', columns = {}, join = {}, split = {}, ignore = [], repair = {} } = mapping;
  const readAs = (field: string | readonly string[]): string => fieldsWord(kind, [field].flat().join('+'));
  const fields = new Map<string, string>([
    ...Object.entries(columns).map(([title, field]): [string, string] => [title, readAs(field)]),
    ...Object.entries(join).flatMap(([field, titles]) =>
      titles.map((title, at): [string, string] => [
        title,
        `${readAs(field)}, part ${at + 1} of ${titles.length}`,
      ]),
    ),
    ...Object.entries(split).map(([title, { into }]): [string, string] => [title, readAs(into)]),
    ...ignore.map((title): [string, string] => [title, 'Left out']),
  ]);
  const titles = header.filter((title) => title !== '');
  const others = [...fields.keys()].filter((title) => !titles.includes(title));
  return [...titles, ...others].map((title) => ({
    title,
    field: fields.get(title) ?? 'What its name says',
    repairs: repair[title]?.map(repairName).join(', ') ?? null,
  }));
}

function constantsOf({ kind = '', constants = {} }: ShownReading): Table {
  return {
    title: 'The same for all rows',
    columns: ['Field', 'Value'],
    rows: Object.entries(constants).map(([field, value]) => [
      fieldsWord(kind, field),
      typeof value === 'string' ? valueWord(field, value) : `follows the ${fieldWord(kind, value.from)}`,
    ]),
  };
}

function valuesOf({ kind = '', values = {} }: ShownReading): readonly Table[] {
  return Object.entries(values).map(([field, meanings]) => ({
    title: `Values of ${fieldWord(kind, field)}`,
    columns: ['In the file', 'means'],
    rows: Object.entries(meanings).map(([value, meaning]) => [
      value,
      meaning === null ? 'its rows are refused' : valueWord(field, meaningText(meaning)),
    ]),
  }));
}

/** How values are written, as far as the mapping says so. */
function rulesOf(mapping: ShownReading): Html | null {
  const { headerRows, hidden, encoding, dateFormat, decimal, thousands, phoneCountry, leaveOut, empty } =
    mapping;
  const country = typeof phoneCountry === 'object' ? `the country in "${phoneCountry.column}"` : phoneCountry;
  const words = Array.isArray(empty) ? empty : [...new Set(Object.values(empty ?? {}).flat())];
  const orders = new Set(Object.values(mapping.split ?? {}).flatMap(({ order }) => order ?? []));
  const lines = [
    headerRows === undefined ? null : `The header is row ${headerRows.join(' and ')}.`,
    hidden === undefined
      ? null
      : `Hidden rows are ${hidden === 'skip' ? 'left out' : 'read like the others'}.`,
    leaveOut === true ? 'Headings, subtotals and totals are left out.' : null,
    encoding === undefined ? null : `The encoding is ${encoding}.`,
    dateFormat === undefined ? null : `Days are written ${dateFormat}.`,
    decimal === undefined ? null : `The sign before decimals is "${decimal}".`,
    thousands === undefined || thousands === ''
      ? null
      : `The sign between thousands is ${signName(thousands)}.`,
    mapping.currencySigns === 'accept' ? 'Amounts may have a sign of their currency.' : null,
    mapping.minorUnits === true ? 'Amounts are whole numbers of the smallest unit of their currency.' : null,
    mapping.compare === undefined
      ? null
      : `Compared are ${mapping.compare.map((field) => fieldWord('', field)).join(', ')}.`,
    country === undefined ? null : `Phone numbers without + are those of ${country}.`,
    ...[...orders].map((order) =>
      order === 'first_last'
        ? 'In whole names the first name comes first.'
        : 'In whole names the last name comes first.',
    ),
    words.length === 0 ? null : `These words mean an empty cell: ${words.join(', ')}.`,
  ].filter((line) => line !== null);
  if (lines.length === 0) return null;
  return section('How values are written', html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`);
}

function signName(sign: string): string {
  return sign === ' ' ? 'a blank' : `"${sign}"`;
}

/** Asks whether a mapping should be forgotten. */
function forgetPage(frame: Frame, { id, name, kind, header }: ShownMapping): Page {
  const forget = form(
    frame,
    `/mappings/${id}/forget`,
    html`<div class="actions"><button class="danger">Forget it</button>
<a class="button second" href="/mappings/${id}">Keep it</a></div>`,
  );
  return {
    title: `Forget "${name}"?`,
    part: '/mappings',
    content: html`<section>
<p>It is how ${kind === null ? 'exports' : `files of ${kind}`} with this header are read: ${titlesOf(header)}.</p>
<p>The next such file is ${kind === null ? 'read by its titles and values' : 'asked about'} again. Batches that were read with it stay as they are.</p>
${forget}</section>`,
  };
}

type Remembered = Awaited<ReturnType<Routes['engine']['rememberedMappings']>['result']>['mappings'][number];

/** Registers the pages of remembered mappings: all of them, one of them, and forgetting one. */
export function mappingsRoutes({ app, show, engine }: Routes): void {
  const find = async (id: string): Promise<Remembered> => {
    const { mappings } = await engine.rememberedMappings({ isForgotten: false }).result;
    const found = mappings.find((mapping) => mapping.id === id);
    if (found !== undefined) return found;
    throw new PageProblem(
      404,
      'This mapping is not remembered, or not any more.',
      'Look at the page "Mappings".',
    );
  };

  app.get('/mappings', async (request, reply) => {
    const { mappings } = await engine.rememberedMappings({ isForgotten: false }).result;
    return show(request, reply, mappingsPage(mappings));
  });

  app.get<At<'mapping'>>('/mappings/:mapping', async (request, reply) => {
    const mapping = await find(request.params.mapping);
    return show(request, reply, (frame) => mappingPage(frame, mapping));
  });

  app.get<At<'mapping'>>('/mappings/:mapping/forget', async (request, reply) => {
    const mapping = await find(request.params.mapping);
    return show(request, reply, (frame) => forgetPage(frame, mapping));
  });

  app.post<At<'mapping'>>('/mappings/:mapping/forget', async (request, reply) => {
    const { id } = await find(request.params.mapping);
    const actor = actorOf(viewerOf(request));
    await engine.rememberedMappings({ isForgotten: true, id }, { actor }).result;
    return reply.redirect('/mappings', 303);
  });
}
