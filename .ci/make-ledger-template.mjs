// An empty data folder of the embedded ledger, as a module beside the program: PostgreSQL needs seconds and some 800 MB
// of memory to create one, and unpacking needs neither. It is created again when the engine or its settings have
// changed.
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  initializeDataFolder,
  packFolder,
  recipe,
  templateName,
} from '../dist/src/ledger/connection/embedded/data-folder.js';

const place = new URL(`../dist/src/cli/bundle/${templateName}`, import.meta.url);
const madeWith = recipe();

if (!existsSync(place) || (await import(place.href)).madeWith !== madeWith) {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-template-'));
  try {
    await initializeDataFolder(join(folder, 'pgdata'));
    const content = JSON.stringify(packFolder(join(folder, 'pgdata')));
    const unfinished = new URL(`${place.href}.new`);
    writeFileSync(
      unfinished,
      `export const madeWith = ${JSON.stringify(madeWith)};\nexport const content = ${content};\n`,
    );
    renameSync(unfinished, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
