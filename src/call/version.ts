/* The version of this program, and how it introduces itself to the API. */

import { existsSync, readFileSync } from 'node:fs';

/** package.json is two folders up from the sources, three from the compiled files, four from the bundle. */
function readVersion(): string {
  for (const path of ['../../package.json', '../../../package.json', '../../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const manifest: { name?: unknown; version?: unknown } = JSON.parse(readFileSync(url, 'utf8'));
    if (manifest.name === 'paybatch') return String(manifest.version);
  }
  return 'unknown';
}

export const version = readVersion();

export const userAgent = `paybatch/${version}`;
