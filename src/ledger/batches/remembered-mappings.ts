import type { RememberedMapping } from '../../domain/tables/remembered-mapping.ts';
import { type Database, execute, isoUtc, query } from '../query/sql.ts';

/** Partners are few; the newest are the ones that are in use. */
const mostRead = 1_000;

/** Remembers a mapping for its header; another one for the same header is forgotten. */
export async function rememberMapping(database: Database, remembered: RememberedMapping): Promise<void> {
  const { headerKey, header, name, kind, mapping, contentHash = null } = remembered;
  await execute(
    database,
    `INSERT INTO remembered_mappings (header_key, header, name, kind, mapping, content_hash)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (header_key) DO UPDATE SET header = excluded.header, name = excluded.name, kind = excluded.kind,
       mapping = excluded.mapping, content_hash = excluded.content_hash, remembered_at = now()`,
    [headerKey, JSON.stringify(header), name, kind, mapping, contentHash],
  );
}

/** The remembered mappings, the newest first. */
export async function listRememberedMappings(database: Database): Promise<RememberedMapping[]> {
  const found = await query<Omit<RememberedMapping, 'header'> & { readonly header: string }>(
    database,
    `SELECT header_key AS "headerKey", header, name, kind, mapping, content_hash AS "contentHash",
       ${isoUtc('remembered_at')} AS "rememberedAt" FROM remembered_mappings
     ORDER BY remembered_at DESC, header_key LIMIT ?`,
    [mostRead],
  );
  return found.map(({ header, ...others }) => ({ ...others, header: JSON.parse(header) }));
}
