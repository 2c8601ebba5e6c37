import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { BatchRecord } from '../../domain/batches/batch.ts';
import type { CallContext } from '../running/context.ts';

/**
 * The path of the file that a batch was read from, for the next call: as this call was given it; null where it knows none.
 * A batch knows its file's name only, which is a path where the file stands in the working folder.
 */
export function knownSource(
  { files = [] }: CallContext,
  { fileName }: Pick<BatchRecord, 'fileName'>,
): string | null {
  const given = files.find((path) => basename(path) === fileName);
  return given ?? (existsSync(fileName) ? fileName : null);
}
