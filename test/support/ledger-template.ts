import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../src/ledger/connection/migrate.ts';
import { openEmbeddedLedger } from '../../src/ledger/connection/open.ts';

/**
 * The folder of an embedded ledger that is migrated and empty, to be copied: copying takes a tenth of the time that making
 * does. Of test files that ask at the same time one makes it, and the others wait; since it comes to its place in one step,
 * no test sees half of it.
 */
export async function embeddedTemplate(testFolder: string): Promise<string> {
  const template = join(testFolder, 'embedded-template');
  const claim = `${template}.claim`;
  while (!existsSync(template)) {
    if (isMadeNow(claim)) await makeTemplate(testFolder, template).finally(() => rmdir(claim));
    else await sleep(20);
  }
  return template;
}

/** Whether this call made the folder; false when it is there already. */
function isMadeNow(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function makeTemplate(testFolder: string, template: string): Promise<void> {
  // Somebody else may have finished between the look and the claim.
  if (existsSync(template)) return;
  const own = await mkdtemp(join(testFolder, 'embedded-template-'));
  try {
    const ledger = await openEmbeddedLedger(own);
    await migrate(ledger).finally(ledger.close);
    await rename(own, template);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
