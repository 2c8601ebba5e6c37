import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { InputFile } from '../../input/table/opened-table.ts';
import { type MappingFile, parseMappingFile } from '../../pipeline/mapping/mapping-file.ts';
import type { Proposing, Stated } from '../../pipeline/proposing/decisions.ts';
import { type AgreedReading, MappingDialogue } from '../../pipeline/proposing/dialogue.ts';
import { openCheckAccess } from '../access/judging-access.ts';
import { withLedger } from '../access/ledger-access.ts';
import { choosingEncoding } from '../reading/choose-encoding.ts';
import { openFile } from '../reading/open-file.ts';
import { remember } from '../reading/remembered-mappings.ts';
import type { JobContext } from '../running/context.ts';
import { factsOf, remembering } from './facts.ts';
import { gridOfTable } from './grid-of-table.ts';
import { trialOf } from './trial.ts';

export type { DialogueQuestion } from '../../pipeline/proposing/questions.ts';

/** A file whose reading is being agreed on: any door may lead its dialogue. */
export interface MappingSession {
  readonly dialogue: MappingDialogue;
  /** A name for the mapping's file that no file has. */
  readonly freeName: () => string;
}

/** A mapping that was agreed to, written and remembered. */
export interface FinishedMapping extends AgreedReading {
  /** Where it was written. */
  readonly path: string;
  /** The name under which it is remembered; null where it is not. */
  readonly remembered: string | null;
}

/**
 * Agrees with somebody on how a file is read, writes the mapping and remembers it for files of this header.
 * @param lead puts the questions until none is left; gives the name of the mapping's file, or nothing for a free one
 * @throws Failure (exit 3) when the file cannot be read; whatever `lead` throws: nothing is kept then
 */
export async function agreeOnMapping(
  app: JobContext,
  path: string,
  lead: (session: MappingSession) => Promise<string | undefined>,
): Promise<FinishedMapping> {
  const stem = path === '-' ? 'stdin' : undefined;
  const found = await withDialogue(app, path, async (dialogue, file) => {
    const freeName = (): string => freeMappingName(stem ?? file.name);
    const name = (await lead({ dialogue, freeName })) ?? freeName();
    const agreed = await dialogue.reading();
    const { reading } = await dialogue.proposed();
    const { contentHash } = file;
    return { name, agreed, titles: reading.sheet.titles, kind: reading.assignment.kind, contentHash };
  });
  const { name, agreed, titles, kind, contentHash } = found;
  const text = `${JSON.stringify(agreed.mapping, null, 2)}\n`;
  parseMappingFile(text, name);
  writeFileSync(name, text, { flag: 'wx' });
  // Not before the ledger of the dialogue is closed: only one may be open.
  const remembered = await remember(app, titles, { mapping: agreed.mapping, path: name, kind, contentHash });
  return { ...agreed, path: name, remembered };
}

/**
 * Opens a file and what its dialogue asks, and closes them behind it.
 * @throws Failure (exit 3) when the file cannot be read
 */
export async function withDialogue<Result>(
  app: JobContext,
  path: string,
  work: (dialogue: MappingDialogue, file: InputFile) => Promise<Result>,
): Promise<Result> {
  const choose = choosingEncoding(path === '-' ? 'standard input' : basename(path), app.ask);
  const file = await openFile(path, app.settings, () => true, choose);
  try {
    return await withLedger(app, async (ledger) => {
      const access = remembering(await openCheckAccess(app, ledger));
      try {
        const missing = new Set<string>();
        const facts = factsOf(access, (text) => {
          if (missing.has(text)) return;
          missing.add(text);
          app.report({ kind: 'note', text });
        });
        const proposing: Proposing = {
          facts,
          grids: await Promise.all(file.tables.map((table) => gridOfTable(table))),
          stated: statedIn(app),
          today: app.clock.now().toISOString().slice(0, 10),
          bytes: bytesIn(app, file),
        };
        return await work(new MappingDialogue(proposing, trialOf(app, file, access)), file);
      } finally {
        await access.close();
      }
    });
  } finally {
    await file.close();
  }
}

/** A name that is free: a mapping that somebody has agreed to is never written over. */
export function freeMappingName(stem: string): string {
  for (let round = 1; ; round += 1) {
    const name = `${stem}${round === 1 ? '' : `-${round}`}.mapping.json`;
    if (!existsSync(name)) return name;
  }
}

function statedIn({ settings }: JobContext): Stated {
  const { kind, sheet, hidden } = settings;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

function bytesIn(
  { settings }: JobContext,
  { format, chosenEncoding }: InputFile,
): Pick<MappingFile, 'encoding' | 'delimiter'> {
  if (format !== 'csv') return {};
  const { encoding = chosenEncoding, delimiter } = settings;
  return {
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
  };
}
