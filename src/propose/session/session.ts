/* Leads the dialogue about how a file is read, through any channel, then writes and remembers the mapping. */

import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CallContext } from '../../call/context.ts';
import { openCheckAccess } from '../../check/judging-access.ts';
import { filled } from '../../domain/tables/mapping.ts';
import { parseMappingFile, withoutPlace } from '../../read/mapping/mapping-file.ts';
import { isSameTitle, type MappingFile } from '../../read/mapping/mapping-schema.ts';
import type { InputFile } from '../../read/rows/input-table.ts';
import { knownMappingsOf } from '../../read/sources/mapping-of-table.ts';
import { choosingEncoding, dialectIn, openInputFile } from '../../read/sources/open-file.ts';
import {
  contentReadingsOf,
  type KnownMapping,
  knownMapping,
  mappingOf,
  remember,
  rememberedMappingsOf,
} from '../../read/sources/remembered-mappings.ts';
import { readMapping } from '../../read/sources/stated-reading.ts';
import type { Proposing, Stated } from '../decisions.ts';

export type {
  DialogueQuestion,
  Forecast,
  QuestionOption,
  QuestionReason,
  RefusalReason,
  RowsToSend,
} from '../question.ts';

import { MappingDialogue } from '../dialogue/dialogue.ts';
import { type AgreedReading, rowsToImport } from '../dialogue/reading-source.ts';

import { decisionsOf, type RememberedReading } from '../dialogue/remembered.ts';
import { askForEncoding, type PutQuestion } from './encoding-question.ts';
import { factsOf, gridOfTable, remembering } from './facts.ts';
import { trialOf } from './trial.ts';

/** The interface for leading a dialogue, whatever its subject is. */
export interface LedDialogue
  extends Pick<MappingDialogue, 'next' | 'answer' | 'canGoBack' | 'grids' | 'place' | 'readFrom' | 'seen'> {
  readonly reading: () => Promise<Pick<AgreedReading, 'forecast'>>;
}

/** How the characters of a CSV file are read. */
export interface ReadDialect {
  /** What separates the values of a row. */
  readonly delimiter: string;
  readonly encoding: string;
  /** The properties that a person has stated. The others were found in the file. */
  readonly stated: readonly ('delimiter' | 'encoding')[];
}

/** A file whose reading is being agreed on; any channel may lead its dialogue. */
export interface MappingSession {
  readonly dialogue: LedDialogue;
  /** Absent if no other dialect can be chosen: for a workbook or an export. */
  readonly dialect?: ReadDialect;
  /** An unused name for the mapping's file. */
  readonly freeName: () => string;
}

/** A mapping that was agreed to, written and remembered. */
export interface FinishedMapping extends AgreedReading {
  /** The path where it was written; null if it was remembered before and the file has nothing new. */
  readonly path: string | null;
  /** The name under which it is remembered; null if it is not. */
  readonly remembered: string | null;
}

/** A file whose reading is to be agreed on, and the leader of its dialogue. */
interface LedMapping {
  /** A path; `-` is standard input. */
  readonly file: string;
  /**
   * Asks the questions until none is left. Returns the name of the mapping's file, or undefined to choose an unused
   * name.
   */
  readonly lead: (session: MappingSession) => Promise<string | undefined>;
  /** The folder in which the mapping is written, unless `lead` names a file; the working folder when absent. */
  readonly folder?: string;
  /** The questions for a file whose header was agreed on before; only new questions when absent. */
  readonly again?: AskedAgain;
  /** Asks the question about the file's encoding, which comes first; `Call.confirm` does this when absent. */
  readonly put?: PutQuestion;
}

/**
 * Agrees with a person on how a file is read, writes the mapping, and remembers it for files with this header. If it
 * throws, nothing is stored.
 * @throws PaybatchError (`file_refused`) when the file cannot be read; errors of `lead` are thrown unchanged
 */
export async function agreeOnMapping(
  app: CallContext,
  { file: path, lead, folder = '', again = {}, put }: LedMapping,
): Promise<FinishedMapping> {
  const stem = path === '-' ? 'stdin' : undefined;
  const work = async (dialogue: MappingDialogue, file: InputFile, known: KnownMapping | null) => {
    const freeName = (): string => freeMappingName(join(folder, stem ?? file.name));
    if (known !== null && (await dialogue.next()) === null) {
      const agreed = await dialogue.reading();
      if (isSameReading(agreed.mapping, known.mapping)) return { known: known.name, agreed };
    }
    const session = { dialogue, freeName, ...dialectOfSession(app, file, known) };
    const name = (await lead(session)) ?? freeName();
    const agreed = await dialogue.reading();
    const { reading } = await dialogue.proposed();
    const { contentHash } = file;
    return { name, agreed, titles: reading.sheet.titles, kind: reading.assignment.kind, contentHash };
  };
  const found = await withDialogue(app, path, again, work, put);
  if ('known' in found) return { ...found.agreed, path: null, remembered: found.known };
  const { name, agreed, titles, kind, contentHash } = found;
  const text = `${JSON.stringify(agreed.mapping, null, 2)}\n`;
  parseMappingFile(text, name);
  writeFileSync(name, text, { flag: 'wx' });
  const remembered = await remember(app, titles, { mapping: agreed.mapping, path: name, kind, contentHash });
  return { ...agreed, path: name, remembered };
}

/**
 * How the characters of a CSV file are read, and which properties were stated by an option, an answer, or the known
 * mapping.
 */
function dialectOfSession(
  app: CallContext,
  file: InputFile,
  known: KnownMapping | null,
): Pick<MappingSession, 'dialect'> {
  const { dialect } = file;
  if (dialect === undefined) return {};
  const bytes = bytesIn(app, file, known);
  const stated = (['delimiter', 'encoding'] as const).filter((name) => bytes[name] !== undefined);
  return { dialect: { ...dialect, stated } };
}

/** Whether two mappings are equal except for the place of the rows: the next file of a series may use another sheet. */
function isSameReading(left: MappingFile, right: MappingFile): boolean {
  return isDeepStrictEqual(withoutPlace(left), withoutPlace(right));
}

/** Which questions to ask for a file whose header was agreed on before. */
export interface AskedAgain {
  /** All questions, with the agreed reading as the proposal. */
  readonly edit?: boolean;
  /** Asks only about this column. */
  readonly about?: string | undefined;
}

/**
 * Opens a file and the sources of its dialogue, and closes them afterwards.
 * @throws PaybatchError (`file_refused`) when the file cannot be read
 */
export async function withDialogue<Result>(
  app: CallContext,
  path: string,
  again: AskedAgain | null,
  work: (dialogue: MappingDialogue, file: InputFile, known: KnownMapping | null) => Promise<Result>,
  put?: PutQuestion,
): Promise<Result> {
  let questionsBefore = 0;
  const ask: CallContext['ask'] = (question) => {
    if (put === undefined || question.kind !== 'encoding') return app.ask(question);
    questionsBefore = 1;
    return askForEncoding(question, put);
  };
  const all = again === null ? [] : (await rememberedMappingsOf(app)).map(knownMapping);
  const choose = choosingEncoding(path === '-' ? 'standard input' : basename(path), ask, all);
  const opened = await openInputFile(path, app.settings.reading, () => true, choose);
  try {
    const known = again === null ? null : await knownReading(app, opened, all, again);
    // A reading that was agreed on for files like this one also determines how characters are read.
    const ofKnown = known === null ? null : dialectIn(known.mapping, app.settings.reading);
    const file = ofKnown === null ? opened : await opened.inDialect(ofKnown);
    const access = remembering(await openCheckAccess(app));
    const reported = new Set<string>();
    const facts = factsOf(access, (missing, error) => {
      const identity = JSON.stringify([missing, error.message]);
      if (reported.has(identity)) return;
      reported.add(identity);
      app.report({ kind: 'note', note: { code: 'proposed_without', missing, error } });
    });
    const proposing: Proposing = {
      facts,
      grids: await Promise.all(file.tables.map((table) => gridOfTable(table))),
      stated: statedIn(app),
      bytes: bytesIn(app, file, known),
      ...(known === null ? {} : { earlier: known.mapping }),
    };
    const sheets = file.tables.map(({ sheet }) => sheet);
    const remembered = known === null ? undefined : rememberedReading(known, sheets, again ?? {});
    const trial = trialOf(app, file, access);
    return await work(
      new MappingDialogue(rowsToImport(proposing), trial, remembered, questionsBefore),
      file,
      known,
    );
  } finally {
    await opened.close();
  }
}

function rememberedReading(
  { mapping, kind }: KnownMapping,
  sheets: readonly (string | null)[],
  { edit = false, about }: AskedAgain,
): RememberedReading {
  const decisions = decisionsOf({ kind, ...mapping }, sheets);
  return { decisions, isEdited: edit, ...(about === undefined ? {} : { about }) };
}

/**
 * The agreed reading of a file. It comes from `mapping` or from the remembered mapping for its header. If the reading
 * is to be changed, it is the reading with which the file was imported.
 */
async function knownReading(
  app: CallContext,
  file: InputFile,
  all: readonly KnownMapping[],
  { edit = false }: AskedAgain,
): Promise<KnownMapping | null> {
  const { settings } = app;
  const { kind: wanted, sheet } = settings.reading;
  // A reading that was agreed on for another kind does not apply to this one.
  const isMeant = ({ kind, mapping }: KnownMapping): boolean =>
    (wanted === undefined || wanted === kind) &&
    (sheet === undefined || mapping.sheet === undefined || isSameTitle(mapping.sheet, sheet));
  if (edit && settings.reading.mapping !== undefined) {
    const mapping = readMapping(settings.reading.mapping, file.path);
    const kind = mapping.kind ?? settings.reading.kind;
    return kind === undefined
      ? null
      : { headerKey: '', header: [], name: settings.reading.mapping, kind, mapping };
  }
  const [found] = (await knownMappingsOf(file, settings.reading, all)).filter(isMeant);
  if (found !== undefined || !edit) return found ?? null;
  const readings = await contentReadingsOf(app)(file.contentHash);
  const [before] = readings.map(mappingOf).filter(isMeant);
  return before ?? null;
}

/** An unused name, since an agreed mapping is never overwritten. */
export function freeMappingName(stem: string): string {
  for (let round = 1; ; round += 1) {
    const name = `${stem}${round === 1 ? '' : `-${round}`}.mapping.json`;
    if (!existsSync(name)) return name;
  }
}

function statedIn({ settings }: CallContext): Stated {
  const { kind, sheet, hidden } = settings.reading;
  return filled({ kind, sheet, hidden });
}

function bytesIn(
  { settings }: CallContext,
  { format, chosenEncoding }: InputFile,
  known: KnownMapping | null,
): Pick<MappingFile, 'encoding' | 'delimiter'> {
  if (format !== 'csv') return {};
  const { mapping = {} } = known ?? {};
  const { encoding = mapping.encoding ?? chosenEncoding, delimiter = mapping.delimiter } = settings.reading;
  return filled({ encoding, delimiter });
}
