import { existsSync, writeFileSync } from 'node:fs';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import { type MappingFile, parseMappingFile } from '../../pipeline/mapping/mapping-file.ts';
import { createNonRowCheck } from '../../pipeline/mapping/non-rows.ts';
import {
  joinMappings,
  type MappingProposal,
  proposeMapping,
  type SampledTable,
} from '../../pipeline/mapping/proposal.ts';
import { columnsOf, ruleOf } from '../../resources/registry.ts';
import type { JobContext } from '../running/context.ts';
import type { Answer, MappingQuestion } from '../running/events.ts';

const samplesShown = 4;

/** A mapping that a person has agreed to, column by column. */
export interface AgreedMapping {
  readonly mapping: MappingFile;
  /** Path of the file that was written. */
  readonly path: string;
}

type Ask = (question: MappingQuestion) => Promise<Exclude<Answer, 'nobody' | 'stop'>>;

/**
 * Asks about every column, about how the values are written and for what no column has; then writes the mapping.
 * @param stem what the file is named after when nobody says otherwise
 * @param placed what the mapping says of the table as a whole
 * @throws Failure (exit 2) without a person to ask; (exit 4) when the person stops: nothing is written then
 */
export async function agreeOnMapping(
  app: JobContext,
  first: MappingProposal,
  table: SampledTable,
  stem: string,
  placed: MappingFile,
): Promise<AgreedMapping> {
  const ask = askingOf(app);
  const decided = await askAboutColumns(ask, first, table);
  const proposal = proposeMapping(first.kind, table, decided);
  const columns = withoutReadings(proposal);
  const readings = await askAboutReadings(ask, proposal);
  const constants = await askForConstants(ask, proposal, [columns, ...readings].reduce(joinMappings, {}));
  const mapping = [columns, ...readings, constants].reduce(joinMappings, placed);
  const text = `${JSON.stringify(mapping, null, 2)}\n`;
  const path = await askForName(ask, stem);
  parseMappingFile(text, path);
  writeFileSync(path, text, { flag: 'wx' });
  return { mapping, path };
}

/** Asks, and ends where nobody answers. */
export function askingOf(app: JobContext): Ask {
  return async (question) => {
    const answer = await app.ask(question);
    if (answer === 'nobody') {
      throw new Failure(
        exitCodes.usage,
        'no_terminal',
        'There is nobody to ask: --interactive needs a terminal.',
        'run it on a terminal, or without --interactive',
      );
    }
    if (answer !== 'stop') return answer;
    throw new Failure(exitCodes.stopped, 'interrupted', 'Stopped: no mapping was written.', 'run it again');
  };
}

async function askAboutColumns(
  ask: Ask,
  { kind, columns }: MappingProposal,
  { header, rows }: SampledTable,
): Promise<Map<string, string | null>> {
  const decided = new Map<string, string | null>();
  const named = header.flatMap((title, index) => (title === '' ? [] : [index]));
  const isLine = createNonRowCheck(header, { own: named });
  const ownRows = rows.filter((cells) => isLine({ cells }) === null);
  for (const { title, field, why, partOf } of columns) {
    const index = header.indexOf(title);
    const values = ownRows.map((row) => row[index]?.trim() ?? '').filter((value) => value !== '');
    const answer = await ask({
      kind: 'mapping_column',
      title,
      samples: [...new Set(values)].slice(0, samplesShown),
      proposal: { field, joinedInto: partOf?.field ?? null },
      why,
      fields: columnsOf(kind),
    });
    if (typeof answer === 'object') decided.set(title, answer.text);
    else if (answer === 'no') decided.set(title, null);
    else if (partOf === undefined) decided.set(title, field);
  }
  return decided;
}

/** The mapping of the columns alone: what was proposed about values is asked for by itself. */
function withoutReadings({ mapping, columns }: MappingProposal): MappingFile {
  const { columns: renamed, join } = mapping;
  const ignore = columns.filter(({ field, partOf }) => field === null && partOf === undefined);
  return {
    ...(renamed === undefined ? {} : { columns: renamed }),
    ...(join === undefined ? {} : { join }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ title }) => title) }),
  };
}

async function askAboutReadings(
  ask: Ask,
  { readings, alternatives }: MappingProposal,
): Promise<MappingFile[]> {
  const agreed: MappingFile[] = [];
  for (const group of [...readings.map((reading) => [reading]), ...alternatives]) {
    for (const { text, samples, mapping } of group) {
      if ((await ask({ kind: 'mapping_reading', text, samples })) !== 'yes') continue;
      agreed.push(mapping);
      break;
    }
  }
  return agreed;
}

async function askForConstants(
  ask: Ask,
  { kind, missing, open }: MappingProposal,
  agreed: MappingFile,
): Promise<MappingFile> {
  const constants: Record<string, string> = {};
  for (const fields of missing) {
    if (fields.some((field) => agreed.constants?.[field] !== undefined)) continue;
    const named = fields.at(-1) ?? '';
    const rule = ruleOf(kind, named);
    const why = `No column is ${fields.join(' or ')}: ${rule?.description ?? ''}. Every row needs it.`;
    const [suggestion = null] = rule?.seen ?? [];
    const answer = await ask({ kind: 'mapping_constant', fields: [named], suggestion, why });
    if (typeof answer === 'object') constants[named] = answer.text;
    else if (answer === 'yes' && suggestion !== null) constants[named] = suggestion;
  }
  const why = open.find((sentence) => sentence.includes('"phoneCountry"'));
  const country =
    why === undefined
      ? 'no'
      : await ask({ kind: 'mapping_constant', fields: ['phoneCountry'], suggestion: null, why });
  return {
    ...(Object.keys(constants).length === 0 ? {} : { constants }),
    ...(typeof country === 'object' ? { phoneCountry: country.text.toUpperCase() } : {}),
  };
}

/** A name that is free: a mapping that somebody has agreed to is never written over. */
export async function askForName(ask: Ask, stem: string): Promise<string> {
  for (;;) {
    const suggestion = freeName(stem);
    const answer = await ask({ kind: 'mapping_name', suggestion });
    const given = typeof answer === 'object' ? answer.text : suggestion;
    const path = given.endsWith('.json') ? given : `${given}.json`;
    if (!existsSync(path)) return path;
  }
}

function freeName(stem: string): string {
  for (let round = 1; ; round += 1) {
    const name = `${stem}${round === 1 ? '' : `-${round}`}.mapping.json`;
    if (!existsSync(name)) return name;
  }
}
