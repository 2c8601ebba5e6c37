/* How exports of the other side are read, remembered for their header. */

import { createHash } from 'node:crypto';
import type { CallContext } from '../call/context.ts';
import type { ListedExport } from '../domain/tables/mapping.ts';
import { normaliseHeader } from '../kinds/registry.ts';
import { isAnythingRemembered, rememberFile } from '../read/sources/remembered-mappings.ts';
import { type ExportMapping, parseExportMapping } from './export/mapping.ts';

/** What tells the headers of exports apart, and from those of files to import. */
export function exportKeyOf(header: readonly string[]): string {
  const key = { purpose: 'export', titles: header.map(normaliseHeader) };
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

/** A remembered mapping of an export. */
export interface KnownExport {
  readonly name: string;
  readonly mapping: ExportMapping;
}

/** The remembered mappings of exports; none where the options name one, or want none. */
export async function rememberedExportsOf(app: CallContext): Promise<readonly ListedExport[]> {
  const { mapping, noRememberedMapping } = app.settings.reading;
  if (mapping !== undefined || noRememberedMapping || !isAnythingRemembered(app)) return [];
  return (await app.connections.ledger()).verbs.listRememberedExports();
}

/** The one for a header; null where none is. */
export function exportMappingFor(
  header: readonly string[],
  all: readonly ListedExport[],
): KnownExport | null {
  const key = exportKeyOf(header);
  const found = all.find(({ headerKey }) => headerKey === key);
  if (found === undefined) return null;
  const { name, mapping } = found;
  return { name, mapping: parseExportMapping(mapping, `"${name}" that is remembered`) };
}

/** Remembers how exports of a header are read. @returns its name; null where there can be no ledger, which is reported */
export function rememberExport(
  app: CallContext,
  header: readonly string[],
  { path, mapping }: { readonly path: string; readonly mapping: ExportMapping },
): Promise<string | null> {
  const headerKey = exportKeyOf(header);
  return rememberFile(app, path, (verbs, name) =>
    verbs.rememberExportMapping({ headerKey, header, name, mapping: JSON.stringify(mapping) }),
  );
}
