import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openEmbeddedLedger } from '../../src/ledger/connection/open.ts';

/**
 * The folder of an embedded ledger that is migrated and empty, to be copied: copying takes a tenth of the
 * time that making does. Test files that ask at the same time may each make one; the first to be ready
 * stays, and since it comes to its place in one step nobody sees half of it.
 */
export async function embeddedTemplate(testFolder: string): Promise<string> {
  const template = join(testFolder, 'embedded-template');
  if (existsSync(template)) return template;
  const own = await mkdtemp(join(testFolder, 'embedded-template-'));
  try {
    await makeTemplate(own);
    await renameUnlessThere(own, template);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return template;
}

async function makeTemplate(folder: string): Promise<void> {
  const ledger = await openEmbeddedLedger(folder);
  try {
    await migrate(ledger);
  } finally {
    await ledger.close();
  }
}

/** A folder is never renamed onto one that has something in it: whoever comes second finds that out here. */
async function renameUnlessThere(folder: string, target: string): Promise<void> {
  try {
    await rename(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}
