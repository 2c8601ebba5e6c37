/* Mappings that are remembered for a header: how they are kept, which one no longer fits, and how a content was read before. */

import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { CallContext } from '../../call/context.ts';
import { statedEnvironment } from '../../call/opened-api.ts';
import type { ContentReading, Kind } from '../../domain/batches/batch.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { type Message, say } from '../../domain/settings/message.ts';
import type { RememberedMapping } from '../../domain/tables/mapping.ts';
import { shorten } from '../../kinds/fields/value-text.ts';
import { normaliseHeader } from '../../kinds/registry.ts';
import type { LedgerVerbs } from '../../ledger/verbs.ts';
import { parseMappingFile, withoutPlace } from '../mapping/mapping-file.ts';
import { hasTitle, type MappingFile } from '../mapping/mapping-schema.ts';
import { titlesApart, titlesOfFile } from '../mapping/titles.ts';

/** The share of a remembered header that a file's header must contain to count as the same partner's. */
const alike = 0.6;

/** The share of both headers that must match to count as that file with a column more or less. */
const nearlySame = 0.8;

const titlesNamed = 3;

/**
 * The key of a header: its titles in order, without regard to case, spaces, hyphens and underscores, and the sheet if
 * the mapping is for one.
 */
export function headerKeyOf(header: readonly string[], sheet?: string): string {
  const titles = titlesApart(titlesOfFile(header)).map(normaliseHeader);
  const key = sheet === undefined ? titles : { titles, sheet: normaliseHeader(sheet) };
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

/** An embedded ledger takes a second to open. This file beside it marks that it has remembered mappings. */
function sign({ settings }: Pick<CallContext, 'settings'>): string {
  return resolve(settings.ledger.ledgerDir, 'has-remembered-mappings');
}

/** Remembers a mapping for the titles of a proposal. Without a ledger, a note reports it, and only the file keeps the mapping. */
export async function remember(
  app: CallContext,
  titles: readonly string[],
  agreed: {
    readonly path: string;
    readonly kind: Kind;
    readonly mapping: MappingFile;
    readonly contentHash: string;
  },
): Promise<string | null> {
  const { path, kind, mapping, contentHash } = agreed;
  const header = titlesOfFile(titles);
  const headerKey = headerKeyOf(header, mapping.sheet);
  return rememberFile(app, path, (verbs, name) =>
    verbs.rememberMapping({ headerKey, header, name, kind, mapping: JSON.stringify(mapping), contentHash }),
  );
}

/**
 * Remembers how files are read, under the name of the file that says so. Without a ledger a note reports it.
 * @returns the name; null where there can be no ledger
 */
export async function rememberFile(
  app: CallContext,
  path: string,
  write: (verbs: LedgerVerbs, name: string) => Promise<void>,
): Promise<string | null> {
  const name = basename(path).replace(/(?:\.mapping)?\.json$/, '');
  try {
    await write((await app.connections.ledger()).verbs, name);
    // An embedded ledger that has remembered nothing need not be opened.
    if (!app.connections.isLedgerOnServer()) writeFileSync(sign(app), '');
    return name;
  } catch (error) {
    if (!(error instanceof PaybatchError)) throw error;
    const note = { code: 'mapping_not_remembered', path, reason: error.said } as const;
    app.report({ kind: 'note', note });
    return null;
  }
}

/** Whether a ledger remembers anything; if not, it need not be opened. */
export function isAnythingRemembered(app: Pick<CallContext, 'settings' | 'connections'>): boolean {
  const { connections } = app;
  return connections.isLedgerThere() && (connections.isLedgerOnServer() || existsSync(sign(app)));
}

/** The mappings that files of this call may be read with; none where the options name one or exclude them. */
export async function rememberedMappingsOf(app: CallContext): Promise<readonly RememberedMapping[]> {
  const { settings } = app;
  if (settings.reading.mapping !== undefined || settings.reading.noRememberedMapping) return [];
  if (!isAnythingRemembered(app)) return [];
  return (await app.connections.ledger()).verbs.listRememberedMappings();
}

/** A remembered mapping, parsed for use. */
export interface KnownMapping extends Omit<RememberedMapping, 'mapping'> {
  readonly mapping: MappingFile;
}

/** @throws PaybatchError (`usage`) for a mapping that this version does not understand */
export function knownMapping(remembered: RememberedMapping): KnownMapping {
  const mapping = parseMappingFile(remembered.mapping, `"${remembered.name}" that is remembered`);
  return { ...remembered, mapping };
}

/** The call's first line for a file that is read with a remembered mapping. */
export function rememberedNote(place: string, name: string): Message {
  return say`${place}: read with the remembered mapping "${name}"; ${{ setting: 'noRememberedMapping' }} turns that off.`;
}

/** The remembered mapping whose header is similar to a file's, but not the same. */
export function outdatedMapping<Mapping extends Pick<KnownMapping, 'header'>>(
  header: readonly string[],
  remembered: readonly Mapping[],
): Mapping | undefined {
  return remembered.find((other) => {
    const titles = titlesIn(other.header);
    const shared = titles.filter((title) => hasTitle(header, title));
    return titles.length > 1 && shared.length >= titles.length * alike;
  });
}

/**
 * The remembered mapping that a file with a similar header still needs. Without it the file could be read, but its
 * dates, amounts or phone numbers, probably still written as agreed, would be read differently. Names of missing
 * columns need no mapping.
 */
export function neededMapping(
  header: readonly string[],
  remembered: readonly KnownMapping[],
): KnownMapping | undefined {
  const titles = titlesIn(header);
  return remembered.find((other) => {
    const before = titlesIn(other.header);
    const shared = before.filter((title) => hasTitle(titles, title));
    const isAlike = shared.length >= Math.max(before.length, titles.length) * nearlySame;
    const { $schema: _, columns: __, ignore: ___, ...values } = withoutPlace(other.mapping);
    return isAlike && Object.keys(values).length > 0;
  });
}

/** The refusal of a file whose header has changed since a person agreed to its mapping. */
export function noLongerFits(
  header: readonly string[],
  { name, header: before }: Pick<KnownMapping, 'name' | 'header'>,
  place: string,
  path: string,
): PaybatchError {
  const missing = titlesIn(before).filter((title) => !hasTitle(header, title));
  const fresh = titlesIn(header).filter((title) => !hasTitle(before, title));
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

/** The titles of a header. The names of columns without a title are not in the file. */
function titlesIn(header: readonly string[]): readonly string[] {
  return titlesOfFile(header).filter((title) => title !== '');
}

function namesOf(titles: readonly string[]): string {
  const more = titles.length - titlesNamed;
  return `${titles.slice(0, titlesNamed).map(shorten).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/* How the same content was read before. */

/**
 * Known content keeps its earlier reading, unless a person requests another by `mapping` or `noRememberedMapping`. So
 * a newly remembered mapping does not make a second batch of yesterday's file.
 */
export function contentReadingsOf({
  settings,
  connections,
}: CallContext): (contentHash: string) => Promise<readonly ContentReading[]> {
  if (settings.reading.mapping !== undefined || settings.reading.noRememberedMapping) return async () => [];
  const stated = statedEnvironment(settings);
  return async (contentHash) => {
    if (!connections.isLedgerThere()) return [];
    const found = await (await connections.ledger()).verbs.findContentReadings(contentHash);
    return found.filter(
      ({ mode, origin }) => mode === settings.api.mode && (stated === undefined || stated.origin === origin),
    );
  };
}

/** The mapping of an earlier reading, in the form of a remembered mapping. */
export function mappingOf({ header, kind, mapping, fileName }: ContentReading): KnownMapping {
  return knownMapping({ headerKey: headerKeyOf(header), header, kind, mapping, name: fileName });
}

/** The note on a table that keeps its earlier reading although another mapping is now remembered for its header. */
export function keptReadingNote(place: string, { createdAt }: ContentReading, remembered: string): Message {
  return say`${place}: taken in on ${createdAt.slice(0, 10)}, and goes on as it was read then; the remembered mapping "${remembered}" is another one by now, and ${{ setting: 'mapping' }} reads it anew.`;
}
