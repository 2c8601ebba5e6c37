/* Mappings that are remembered for a header: which one a file is read with, and which one no longer fits. */

import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { statedEnvironment } from '../../call/opened-api.ts';
import type { ContentReading, Environment, Kind, LeasedBatch } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import type { ReadingProfile } from '../../domain/settings/definitions.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import type { SourceTable } from '../../domain/tables/table.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { normaliseHeader } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import {
  isSameTitle,
  type MappingFile,
  parseMappingFile,
  withoutExpectations,
  withoutPlace,
} from '../mapping/mapping-file.ts';
import { batchIdOf, type InputTable } from '../rows/input-table.ts';
import type { InputReading } from './readings.ts';

/** So much of a remembered header has to be in a file's for the file to be one of that partner's. */
const alike = 0.6;

/** So much of either, for it to be that file with a column more or less. */
const nearlySame = 0.8;

const titlesNamed = 3;

/**
 * What tells headers apart: their titles in their order, without regard to case, spaces, hyphens and underscores, and
 * the sheet where the mapping is for one.
 */
export function headerKeyOf(header: readonly string[], sheet?: string): string {
  const titles = header.map(normaliseHeader);
  const key = sheet === undefined ? titles : { titles, sheet: normaliseHeader(sheet) };
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

/** An embedded ledger takes a second to open: this file beside it says that it is worth it. */
function sign({ settings }: Pick<CallContext, 'settings'>): string {
  return resolve(settings.ledger.ledgerDir, 'has-remembered-mappings');
}

/** Remembers a mapping for a header. Where there can be no ledger, that is told, and the file is all there is. */
export async function remember(
  app: CallContext,
  header: readonly string[],
  agreed: {
    readonly path: string;
    readonly kind: Kind;
    readonly mapping: MappingFile;
    readonly contentHash: string;
  },
): Promise<string | null> {
  const { path, kind, mapping, contentHash } = agreed;
  const name = basename(path).replace(/(?:\.mapping)?\.json$/, '');
  try {
    const { verbs } = await app.connections.ledger();
    const text = JSON.stringify(mapping);
    const headerKey = headerKeyOf(header, mapping.sheet);
    await verbs.rememberMapping({ headerKey, header, name, kind, mapping: text, contentHash });
    noteRemembered(app);
    return name;
  } catch (error) {
    if (!(error instanceof PaybatchError)) throw error;
    const note = { code: 'mapping_not_remembered', path, reason: error.message } as const;
    app.report({ kind: 'note', note });
    return null;
  }
}

/** Leaves a sign that an embedded ledger remembers something. */
export function noteRemembered(app: Pick<CallContext, 'settings' | 'connections'>): void {
  if (!app.connections.isLedgerOnServer()) writeFileSync(sign(app), '');
}

/** Whether a ledger has remembered anything: it is opened for nothing else then. */
export function isAnythingRemembered(app: Pick<CallContext, 'settings' | 'connections'>): boolean {
  const { connections } = app;
  return connections.isLedgerThere() && (connections.isLedgerOnServer() || existsSync(sign(app)));
}

/** The mappings that files of this call may be read with; none where the options name one, or want none. */
export async function rememberedMappingsOf(app: CallContext): Promise<readonly RememberedMapping[]> {
  const { settings } = app;
  if (settings.reading.mapping !== undefined || settings.reading.noRememberedMapping) return [];
  if (!isAnythingRemembered(app)) return [];
  return (await app.connections.ledger()).verbs.listRememberedMappings();
}

/** A remembered mapping, as it is used. */
export interface KnownMapping {
  readonly headerKey: string;
  readonly name: string;
  readonly kind: Kind;
  readonly header: readonly string[];
  readonly mapping: MappingFile;
  /** When, and for which content, somebody agreed to it. */
  readonly agreed?: { readonly at: string; readonly contentHash: string };
}

/** @throws PaybatchError (`usage`) for a mapping that this version does not understand */
export function knownMapping({
  headerKey,
  name,
  kind,
  header,
  mapping,
  ...when
}: RememberedMapping): KnownMapping {
  const { contentHash = null, rememberedAt } = when;
  return {
    headerKey,
    name,
    kind,
    header,
    mapping: parseMappingFile(mapping, `"${name}" that is remembered`),
    ...(contentHash === null || rememberedAt === undefined
      ? {}
      : { agreed: { at: rememberedAt, contentHash } }),
  };
}

/** A table whose header somebody has agreed to a mapping for is read with that. */
export function asRemembered(
  own: InputReading,
  table: Pick<SourceTable, 'sheet'>,
  found: KnownMapping,
): InputReading {
  const leaveOut = own.mapping.leaveOut === true ? { leaveOut: true } : {};
  // The next file of a series has its rows on a sheet of another name: of another month.
  const sheet = found.mapping.sheet === undefined || table.sheet === null ? {} : { sheet: table.sheet };
  return {
    ...own,
    kind: own.kind ?? found.kind,
    mapping: { ...found.mapping, ...sheet, ...leaveOut },
    remembered: found.name,
  };
}

/** What stands in the first line of a call whose file is read so. */
export function rememberedNote(place: string, name: string): string {
  return `${place}: read with the remembered mapping "${name}"; the setting noRememberedMapping turns that off.`;
}

/**
 * The mapping that was agreed to for a header; undefined for a header that is not quite that one. One for the sheet
 * counts first; one for a sheet of another name counts unless the workbook has that sheet too.
 *
 * @param known the newest first
 */
export function mappingFor(
  { header, sheet }: Pick<SourceTable, 'header' | 'sheet'>,
  sheets: readonly (string | null)[],
  known: readonly KnownMapping[],
): KnownMapping | undefined {
  if (known.length === 0) return undefined;
  const key = headerKeyOf(header);
  const same = known.filter((other) => headerKeyOf(other.header) === key);
  const isNamed = (name: string | null, wanted: string): boolean =>
    name !== null && isSameTitle(name, wanted);
  return (
    same.find(({ mapping }) => mapping.sheet !== undefined && isNamed(sheet, mapping.sheet)) ??
    same.find(({ mapping }) => mapping.sheet === undefined) ??
    same.find(({ mapping }) => !sheets.some((other) => isNamed(other, mapping.sheet ?? '')))
  );
}

/** The remembered mapping whose header a file's is like, without being the same. */
export function outdatedMapping(
  header: readonly string[],
  remembered: readonly RememberedMapping[],
): RememberedMapping | undefined {
  return remembered.find((other) => {
    const titles = other.header.filter((title) => title !== '');
    const shared = titles.filter((title) => header.some((own) => isSameTitle(own, title)));
    return titles.length > 1 && shared.length >= titles.length * alike;
  });
}

/**
 * The remembered mapping without which a file of a like header would be read otherwise, though it could be: its days,
 * amounts or phone numbers are probably still written as somebody agreed to. Names of columns that are gone need no
 * mapping.
 */
export function neededMapping(
  header: readonly string[],
  remembered: readonly RememberedMapping[],
): RememberedMapping | undefined {
  const titles = header.filter((title) => title !== '');
  return remembered.find((other) => {
    const before = other.header.filter((title) => title !== '');
    const shared = before.filter((title) => titles.some((own) => isSameTitle(own, title)));
    const isAlike = shared.length >= Math.max(before.length, titles.length) * nearlySame;
    const read = withoutPlace(parseMappingFile(other.mapping, other.name));
    const { $schema: _, columns: __, ignore: ___, ...values } = read;
    return isAlike && Object.keys(values).length > 0;
  });
}

/** The refusal of a file whose header was another one when a person agreed to its mapping. */
export function noLongerFits(
  header: readonly string[],
  { name, header: before }: RememberedMapping,
  place: string,
  path: string,
): PaybatchError {
  const missing = before.filter((title) => title !== '' && !header.some((own) => isSameTitle(own, title)));
  const fresh = header.filter((title) => title !== '' && !before.some((own) => isSameTitle(own, title)));
  const parts = [
    ...(missing.length === 0 ? [] : [`${namesOf(missing)} is missing`]),
    ...(fresh.length === 0 ? [] : [`${namesOf(fresh)} is new`]),
    ...(missing.length + fresh.length === 0 ? ['its columns stand in another order'] : []),
  ];
  return new PaybatchError(
    'mapping_outdated',
    `${place}: its header is not the one that the remembered mapping "${name}" is for: ${parts.join(', and ')}.`,
    [
      { action: 'mapping', file: path, effect: 'asks again' },
      { action: 'set', oneOf: [{ setting: 'mapping' }] },
      { action: 'set', oneOf: [{ setting: 'noRememberedMapping' }], effect: 'reads it as it is' },
    ],
  );
}

function namesOf(titles: readonly string[]): string {
  const more = titles.length - titlesNamed;
  return `${titles.slice(0, titlesNamed).map(shorten).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/* How a content was read before. */

/** How a content was read before, the newest first; nothing of a content that is new. */
export type FindContentReadings = (contentHash: string) => Promise<readonly ContentReading[]>;

/** No content counts as known. */
export const noKnownContents: FindContentReadings = async () => [];

/**
 * What is known by its content goes on under its reading, unless a person asks for another one: by `mapping`, or by
 * `noRememberedMapping`. So a mapping that is remembered anew makes no second batch of yesterday's file.
 */
export function contentReadingsOf({ settings, connections }: CallContext): FindContentReadings {
  if (settings.reading.mapping !== undefined || settings.reading.noRememberedMapping) return noKnownContents;
  const stated = statedEnvironment(settings);
  return async (contentHash) => {
    if (!connections.isLedgerThere()) return [];
    const found = await (await connections.ledger()).verbs.findContentReadings(contentHash);
    return found.filter(
      ({ mode, origin }) => mode === settings.api.mode && (stated === undefined || stated.origin === origin),
    );
  };
}

/**
 * The reading with which a table goes on; undefined for one that is new, or of which it is unclear what its rows are.
 * @param sheet of the table
 * @param isOnlyPlanned of batches that nobody has asked to be sent yet, or of the others
 */
export function readingToContinueWith(
  readings: readonly ContentReading[],
  sheet: string | null,
  { kind }: Pick<InputReading, 'kind'>,
  isOnlyPlanned: boolean,
): ContentReading | undefined {
  const possible = readings.filter(
    (other) =>
      other.isOnlyPlanned === isOnlyPlanned &&
      other.sheet === sheet &&
      (kind === null || kind === other.kind),
  );
  return new Set(possible.map((other) => other.kind)).size > 1 ? undefined : possible[0];
}

/** The mapping of a reading, to be looked for in a file as a remembered one is. */
export function mappingOf({ header, kind, mapping, fileName }: ContentReading): KnownMapping {
  return knownMapping({ headerKey: headerKeyOf(header), header, kind, mapping, name: fileName });
}

/** Whether an option says how files are read: then it may be another reading, whatever the mapping is. */
export function isReadingStated({ delimiter, encoding, hidden, leaveOutNonRows }: ReadingProfile): boolean {
  return delimiter !== undefined || encoding !== undefined || hidden !== undefined || leaveOutNonRows;
}

/** What is said of a table that goes on as it was read before, though another mapping is remembered for its header now. */
export function keptReadingNote(place: string, { createdAt }: ContentReading, remembered: string): string {
  return `${place}: taken in on ${createdAt.slice(0, 10)}, and goes on as it was read then; the remembered mapping "${remembered}" is another one by now, and the setting mapping reads it anew.`;
}

/** Keeps how each batch that was staged just now was read, so that its failed file is read in the same way. */
export async function keepReadings(
  verbs: Pick<LedgerVerbs, 'saveReading'>,
  held: readonly LeasedBatch[],
  inputTables: readonly InputTable[],
  environment: Environment,
): Promise<void> {
  for (const inputTable of inputTables) {
    const id = batchIdOf(inputTable, environment);
    if (!held.some(({ batch, isNew }) => isNew && batch.id === id)) continue;
    await verbs.saveReading(id, {
      mapping: JSON.stringify({
        ...withoutExpectations(inputTable.reading),
        ...(inputTable.encoding === undefined ? {} : { encoding: inputTable.encoding }),
      }),
      rules: JSON.stringify(inputTable.rules),
      hiddenRows: inputTable.hiddenChoice === 'skip' ? 0 : inputTable.hidden.count,
      hiddenChoice: inputTable.hiddenChoice,
    });
  }
}
