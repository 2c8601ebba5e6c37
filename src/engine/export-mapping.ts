/* Proposes how an export of the other side is read, or asks a person column by column. */

import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { unprotectCell } from '../domain/tables/table.ts';
import { dateFormatOf, possibleNumberStyles } from '../pipeline/mapping/value-look.ts';
import { namedFields } from '../pipeline/proposing/title-words.ts';
import { readColumns } from '../reconcile/export/columns.ts';
import {
  type ExportMapping,
  type ExportRole,
  exportRoles,
  parseExportMapping,
} from '../reconcile/export/mapping.ts';
import { kinds, normaliseHeader } from '../resources/registry.ts';
import { freeMappingName } from './mapping/session.ts';
import { choosingEncoding, openInputFile } from './reading/open-file.ts';
import type { CallContext } from './running/context.ts';
import type { AnswerOfPerson, MappingQuestion } from './running/events.ts';
import type { CallResult } from './running/result.ts';

/** Questions about the mapping of an export, put one by one to whoever is there. */

type Ask = (question: MappingQuestion) => Promise<Exclude<AnswerOfPerson, 'nobody' | 'stop'>>;

/** Asks, and ends where nobody answers. */
function askingOf(app: CallContext): Ask {
  return async (question) => {
    const answer = await app.ask(question);
    if (answer === 'nobody') {
      throw new PaybatchError('no_terminal', 'There is nobody to ask.', [
        'run it on a terminal',
        { action: 'leave_out', settings: [{ setting: 'interactive' }] },
      ]);
    }
    if (answer !== 'stop') return answer;
    throw new PaybatchError('interrupted', 'Stopped: no mapping was written.', 'run it again');
  };
}

/** A name that is free: a mapping that somebody has agreed to is never written over. */
async function askForName(ask: Ask, stem: string): Promise<string> {
  for (;;) {
    const suggestion = freeMappingName(stem);
    const answer = await ask({ kind: 'mapping_name', suggestion });
    const given = typeof answer === 'object' ? answer.text : suggestion;
    const path = given.endsWith('.json') ? given : `${given}.json`;
    if (!existsSync(path)) return path;
  }
}

const rowsLookedAt = 10_000;
const samplesShown = 4;

/** What a column of an export is proposed to be. */
interface ExportColumnProposal {
  readonly title: string;
  /** Null for a column that is passed over. */
  readonly role: ExportRole | null;
  readonly values: readonly string[];
}

interface ExportMappingRequest {
  /** A path; `-` is standard input. */
  readonly file: string;
  /** Whether a person is asked about each column, and the mapping written to a file. */
  readonly isInteractive?: boolean;
  /** What the mapping's file is named after; the file's own name when absent. */
  readonly stem?: string;
}

/** A mapping for an export of the other side. */
interface ExportMappingResult extends CallResult {
  readonly columns: readonly ExportColumnProposal[];
  readonly mapping: ExportMapping;
  /** Path of the file that was written; null where nobody was asked. */
  readonly path: string | null;
}

/** What exports call their columns beside our own names, in English, German, French, Swahili and Portuguese. */
const titlesOfRoles: readonly (readonly [ExportRole, RegExp])[] = [
  ['date', /date|datum|booked|buchung|valuta|tarehe|(?:^|\W)data|created|completed|time/i],
  ['credit', /^(?:credit|paid ?in|gutschrift|haben|cr[eé]dit|cr[eé]dito)s?$/i],
  ['debit', /^(?:debit|withdrawn|paid ?out|lastschrift|soll|d[eé]bit|d[eé]bito)s?$/i],
  ['text', /narrative|description|details|verwendungszweck|libell[eé]|motif|maelezo|descri[cç][aã]o|memo/i],
  ['id', /transaction ?(?:id|no)|payment ?id|object ?id|receipt/i],
];

/** Proposes what the columns of an export are, and how its days and amounts are written. */
export async function proposeExportMapping(
  app: CallContext,
  { file: path, isInteractive = false, stem }: ExportMappingRequest,
): Promise<ExportMappingResult> {
  const file = await openInputFile(
    path,
    app.settings.reading,
    (cells) => cells.filter((cell) => roleOf(cell) !== null).length > 1,
    choosingEncoding(path === '-' ? 'standard input' : basename(path), app.ask),
  );
  try {
    const [table] = file.tables;
    if (table === undefined) throw new Error('an input has no table');
    const rows: (readonly string[])[] = [];
    for await (const group of table.rows()) {
      rows.push(...group.slice(0, rowsLookedAt - rows.length).map(({ cells }) => cells));
      if (rows.length >= rowsLookedAt) break;
    }
    const guessed = columnsOf(table.header.map(unprotectCell), rows);
    const columns = isInteractive ? await decided(app, guessed) : guessed;
    const mapping = mappingOf(columns);
    readColumns(table.header, mapping, app.settings.reading.kind ?? null);
    const named = stem ?? (path === '-' ? 'stdin' : basename(file.name));
    const written = isInteractive ? await write(app, mapping, `${named}.export`) : null;
    return {
      outcome: 'done',
      batches: [],
      failure: null,
      columns,
      mapping,
      path: written,
    };
  } finally {
    await file.close();
  }
}

/** By its own name, by what columns of ours are called elsewhere, or by what exports call it. */
function roleOf(title: string): ExportRole | null {
  const own = exportRoles.find((role) => normaliseHeader(title) === role);
  if (own !== undefined) return own;
  const fields = kinds.flatMap((kind) => namedFields(kind, title));
  if (fields.includes('amount')) return 'amount';
  if (fields.includes('currency')) return 'currency';
  if (fields.includes('client_reference') || fields.includes('external_id')) return 'reference';
  return titlesOfRoles.find(([, words]) => words.test(title))?.[0] ?? null;
}

/** Of several columns for one role, the first counts; texts are read together. */
function columnsOf(header: readonly string[], rows: readonly (readonly string[])[]): ExportColumnProposal[] {
  const taken = new Set<ExportRole>();
  return header.flatMap((title, index): ExportColumnProposal[] => {
    if (title === '') return [];
    const values = [...new Set(rows.map((row) => unprotectCell(row[index] ?? '').trim()))];
    const found = roleOf(title);
    const role = found !== null && (found === 'text' || !taken.has(found)) ? found : null;
    if (role !== null) taken.add(role);
    return [{ title, role, values: values.filter((value) => value !== '') }];
  });
}

function mappingOf(columns: readonly ExportColumnProposal[]): ExportMapping {
  const valuesOf = (role: ExportRole): readonly string[] =>
    columns.find((column) => column.role === role)?.values ?? [];
  const days = dateFormatOf(valuesOf('date').map((value) => value.split(/[ T]/)[0] ?? ''));
  const isDeclared =
    days !== null && days !== 'unclear' && /^(?=.*MM)(?=.*DD)/.test(days) && days !== 'YYYY-MM-DD';
  const amounts = [...valuesOf('amount'), ...valuesOf('credit'), ...valuesOf('debit')];
  const [style, ...otherStyles] = possibleNumberStyles(
    amounts.map((value) => value.replace(/^-/, '')).filter((value) => /[1-9]/.test(value)),
  );
  const isStyled = style !== undefined && otherStyles.length === 0;
  const named = columns.flatMap(({ title, role }) => (role === null ? [] : [[title, role]]));
  return {
    columns: Object.fromEntries(named),
    ...(isDeclared ? { dateFormat: days } : {}),
    ...(isStyled && style.decimal !== '.' ? { decimal: style.decimal } : {}),
    ...(isStyled && style.thousands !== '' ? { thousands: style.thousands } : {}),
  };
}

async function decided(
  app: CallContext,
  columns: readonly ExportColumnProposal[],
): Promise<ExportColumnProposal[]> {
  const ask = askingOf(app);
  const agreed: ExportColumnProposal[] = [];
  for (const column of columns) {
    const { title, role, values } = column;
    const answer = await ask({
      kind: 'mapping_column',
      title,
      samples: values.slice(0, samplesShown),
      proposal: role,
      fields: exportRoles,
    });
    const named = typeof answer === 'object' ? exportRoles.find((other) => other === answer.text) : undefined;
    agreed.push({ ...column, role: answer === 'yes' ? role : (named ?? null) });
  }
  return agreed;
}

async function write(app: CallContext, mapping: ExportMapping, stem: string): Promise<string> {
  const path = await askForName(askingOf(app), stem);
  const text = `${JSON.stringify(mapping, null, 2)}\n`;
  if (Object.keys(mapping.columns ?? {}).length === 0) {
    throw new PaybatchError('unknown_column', 'No column is of use.', 'name at least an id or a reference');
  }
  parseExportMapping(text, path);
  writeFileSync(path, text, { flag: 'wx' });
  return path;
}
