import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { type FileSystem, realFileSystem } from '../files/file-system.ts';
import { writeError } from '../files/output-error.ts';

/**
 * Gives files that were handed over another name, so that what is written next does not take their place: after a
 * ledger was lost they are all that tells of the answers.
 * @param paths those that are not there are passed over
 * @returns the new paths: `X.objects.csv` is `X.objects.before-recover.csv`, or the first free number after it
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
