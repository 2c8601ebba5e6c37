/* Proposes how an export of the other side is read, or agrees on it with a person in the dialogue of imported files. */

import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch } from '../call/ledger-access.ts';
import type { Kind } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { unprotectCell } from '../domain/tables/table.ts';
import type { Decision } from '../propose/decisions.ts';
import { MappingDialogue } from '../propose/dialogue/dialogue.ts';
import type { AgreedReading, ReadingSource, Trial, TrialResult } from '../propose/dialogue/reading-source.ts';
import type { RememberedReading } from '../propose/dialogue/remembered.ts';
import { type ExportProposing, type ExportReading, proposeExport } from '../propose/export/export-reading.ts';
import { askForEncoding, type PutQuestion } from '../propose/session/encoding-question.ts';
import { openPointsOfExport } from '../propose/session/question-reason.ts';
import { freeMappingName, type LedDialogue } from '../propose/session/session.ts';
import type { InputFile } from '../read/rows/input-table.ts';
import { choosingEncoding, openInputFile } from '../read/sources/open-file.ts';
import {
  evidenceReader,
  exportMappingFor,
  gridOfExport,
  type KnownExport,
  ownFactsOf,
  rememberExport,
  rememberedExportsOf,
} from './batches/exports.ts';
import { areEnough, looksLikeExportHeader, readColumns } from './export/columns.ts';
import { type ExportMapping, parseExportMapping } from './export/mapping.ts';
import { countReadable, type ExportTable } from './export/records.ts';

interface ExportRequest {
  /** A path; `-` is standard input. */
  readonly file: string;
  /** The batch that it is an export for: a batch id, or 4 or more of its first characters; its rows are evidence. */
  readonly batch?: string;
}

/** A mapping for an export of the other side. */
interface ExportMappingResult extends CallResult {
  readonly columns: readonly {
    readonly title: string;
    /** A role or a field; null for an ignored column. */
    readonly role: string | null;
  }[];
  readonly mapping: ExportMapping;
}

/** Proposes the use of an export's columns, and the format of its dates and amounts. */
export async function proposeExportMapping(
  app: CallContext,
  request: ExportRequest,
): Promise<ExportMappingResult> {
  return withExport(app, request, null, async ({ dialogue }) => {
    const { reading } = await dialogue.proposed();
    const columns = reading.uses.map(({ column, fields: [role = null] }) => ({ title: column.title, role }));
    const mapping = { ...mappingIn(reading, request.file), open: [...openPointsOfExport(reading.points)] };
    return { ...noBatches, columns, mapping };
  });
}

/** The session in which the dialogue about an export is led. */
export interface ExportMappingSession {
  readonly dialogue: LedDialogue;
  /** An unused name for the mapping's file. */
  readonly freeName: () => string;
}

interface LedExport extends ExportRequest {
  /**
   * Asks the questions until none is left. Returns the name of the mapping's file, or undefined for an unused one.
   */
  readonly lead: (session: ExportMappingSession) => Promise<string | undefined>;
  /** Where the mapping is written, unless `lead` names a file; the working folder when absent. */
  readonly folder?: string;
  /** Whether everything is asked again although it was already agreed to for this header. */
  readonly again?: boolean;
  readonly put?: PutQuestion;
}

/** A mapping that was agreed to, written and remembered. */
interface FinishedExportMapping extends AgreedReading<ExportMapping> {
  /** Where it was written; null where it was remembered before. */
  readonly path: string | null;
  readonly remembered: string | null;
}

/**
 * Agrees with a person on how an export is read, writes the mapping and remembers it for exports with this header.
 * @throws PaybatchError (`file_refused`) when the file cannot be read; and whatever `lead` throws; nothing is stored
 * then
 */
export async function agreeOnExportMapping(
  app: CallContext,
  { lead, folder = '', again = false, put, ...request }: LedExport,
): Promise<FinishedExportMapping> {
  return withExport(
    app,
    request,
    again,
    async ({ dialogue, file, header, known }) => {
      if (known !== null && !again) {
        const { forecast } = await dialogue.reading();
        return { mapping: known.mapping, forecast, path: null, remembered: known.name };
      }
      const stem = request.file === '-' ? 'stdin' : file.name;
      const freeName = (): string => freeMappingName(join(folder, `${stem}.export`));
      const path = (await lead({ dialogue, freeName })) ?? freeName();
      const { forecast } = await dialogue.reading();
      const mapping = mappingIn((await dialogue.proposed()).reading, path);
      writeFileSync(path, `${JSON.stringify(mapping, null, 2)}\n`, { flag: 'wx' });
      return { mapping, forecast, path, remembered: await rememberExport(app, header, { path, mapping }) };
    },
    put,
  );
}

/** @throws PaybatchError where no column identifies a record */
function mappingIn({ mapping: proposed, sheet }: ExportReading, path: string): ExportMapping {
  const mapping = parseExportMapping(JSON.stringify(proposed), path);
  if (areEnough(readColumns(sheet.titles, mapping, null))) return mapping;
  throw new PaybatchError(
    'unknown_column',
    'No column tells a record: neither an id nor a reference is named.',
    'name at least one of them',
  );
}

/** An export whose reading is to be found. */
interface OpenedExport {
  readonly dialogue: MappingDialogue<ExportReading>;
  readonly file: InputFile;
  readonly header: readonly string[];
  /** The remembered reading for exports with this header; null for none. */
  readonly known: KnownExport | null;
}

/** @param again whether everything is asked again; null to ignore remembered readings */
async function withExport<Result>(
  app: CallContext,
  { file: path, batch: named }: ExportRequest,
  again: boolean | null,
  work: (opened: OpenedExport) => Promise<Result>,
  put?: PutQuestion,
): Promise<Result> {
  const access = named === undefined ? null : await app.connections.ledger();
  const batch = access === null || named === undefined ? null : await findNamedBatch(access.verbs, named);
  const kind = batch?.kind ?? app.settings.reading.kind ?? null;
  const own = access === null || batch === null ? null : ownFactsOf(access.verbs, batch);
  let questionsBefore = 0;
  const ask: CallContext['ask'] = (question) => {
    if (put === undefined || question.kind !== 'encoding') return app.ask(question);
    questionsBefore = 1;
    return askForEncoding(question, put);
  };
  const { isHeader } = evidenceReader(kind, null);
  const file = await openInputFile(
    path,
    app.settings.reading,
    (cells) => looksLikeExportHeader(cells, {}, kind) || isHeader(cells),
    choosingEncoding(path === '-' ? 'standard input' : basename(path), ask),
  );
  try {
    const all = again === null ? [] : await rememberedExportsOf(app);
    const table = await likeliestTable(file, kind, own);
    const { header, proposing, rows } = table;
    const known = exportMappingFor(header, all);
    const remembered = known === null ? undefined : rememberedReading(known.mapping, again === true);
    const trial = trialOf(kind, rows);
    const dialogue = new MappingDialogue(exportSource(proposing), trial, remembered, questionsBefore);
    return await work({ dialogue, file, header, known });
  } finally {
    await file.close();
  }
}

/** The readings of an export, without a choice of another table. */
function exportSource(proposing: ExportProposing): ReadingSource<ExportReading> {
  const source: ReadingSource<ExportReading> = {
    grids: [proposing.grid],
    propose: async (decisions) => [await proposeExport(proposing, decisions)],
    placeOf: () => null,
    at: () => source,
  };
  return source;
}

/** The table of the file of which most columns are known. */
async function likeliestTable(
  { tables }: InputFile,
  kind: Kind | null,
  own: ExportProposing['own'],
): Promise<{
  readonly header: readonly string[];
  readonly proposing: ExportProposing;
  readonly rows: ExportTable['rows'];
}> {
  const found = await Promise.all(
    tables.map(async (table) => {
      const proposing = { grid: await gridOfExport(table), kind, own };
      const { uses } = await proposeExport(proposing, new Map());
      const placed = uses.filter(({ fields }) => fields.length > 0).length;
      return { header: table.header.map(unprotectCell), proposing, rows: () => table.rows(), placed };
    }),
  );
  const [best] = found.sort((left, right) => right.placed - left.placed);
  if (best === undefined) throw new Error('an input has no table');
  return best;
}

/** The reading agreed to before, as decisions of the dialogue. */
function rememberedReading(mapping: ExportMapping, isEdited: boolean): RememberedReading {
  const { columns = {}, constants, dateFormat, decimal, thousands, compare } = mapping;
  const decisions = new Map<string, Decision>([['review:first', { columns }]]);
  const say = (id: string, text: string | undefined): void => {
    if (text !== undefined) decisions.set(id, text);
  };
  say('reading:date_format', dateFormat);
  say('reading:decimal', decimal);
  say('reading:thousands', thousands === '' ? 'none' : thousands);
  say('reading:amounts', compare === undefined || compare.includes('amount') ? undefined : 'without');
  if (constants?.currency !== undefined) decisions.set('constant:currency', { text: constants.currency });
  return { decisions, isEdited };
}

/** Counts the records that can be read; only the comparison finds what they belong to. */
function trialOf(kind: Kind | null, whole: ExportTable['rows']): Trial<ExportReading> {
  return async (reading, rows): Promise<TrialResult> => {
    const { sheet } = reading;
    const mapping = parseExportMapping(JSON.stringify(reading.mapping), 'the mapping');
    const columns = readColumns(sheet.titles, mapping, kind);
    const shown: ExportTable['rows'] = async function* () {
      yield sheet.rows;
    };
    const table = {
      name: '',
      header: sheet.titles,
      columns,
      mapping,
      rows: rows === 'whole' ? whole : shown,
    };
    const { read, refused, leftOut, problems } = await countReadable(table, kind);
    return {
      forecast: { pass: read, refused, left_out: leftOut },
      reasons: problems.map(({ problem, rows: count, firstRow }) => ({
        code: 'export_unreadable',
        column: null,
        rows: count,
        example_row: firstRow,
        message: problem,
      })),
    };
  };
}
