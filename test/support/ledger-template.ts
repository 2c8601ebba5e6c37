import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../src/ledger/migrate.ts';
import { openEmbeddedLedger } from '../../src/ledger/open.ts';

const longestMakingInMs = 60_000;

/**
 * The folder of an embedded ledger that is migrated and empty, to be copied: copying takes a tenth of the
 * time that making does. The first test file that asks makes it, and the others wait for it.
 */
export async function embeddedTemplate(testFolder: string): Promise<string> {
  const template = join(testFolder, 'embedded-template');
  const unfinished = `${template}.new`;
  const giveUpAt = Date.now() + longestMakingInMs;
  while (!existsSync(template) && Date.now() < giveUpAt) {
    if (await makeFolder(unfinished)) await makeTemplate(unfinished, template);
    else await sleep(50);
  }
  if (!existsSync(template))
    throw new Error('no test file came to making the template of the embedded ledger');
  return template;
}

/** Whether the folder is ours to fill: exactly one caller can make it. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    return false;
  }
}

async function makeTemplate(unfinished: string, template: string): Promise<void> {
  try {
    const ledger = await openEmbeddedLedger(unfinished);
    await migrate(ledger);
    await ledger.close();
    await rename(unfinished, template);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
