/* Mappings: the dialogue in which a person agrees on the mapping of a file, and the mappings that the ledger remembers. */

import { existsSync } from 'node:fs';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import type { Kind } from '../domain/batches/batch.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { ListedExport, ListedMapping } from '../domain/tables/mapping.ts';
import { unprotectCell } from '../domain/tables/table.ts';
import { kindAdjustments } from '../kinds/registry.ts';
import type { TrialResult } from '../propose/dialogue/reading-source.ts';
import type { Reading } from '../propose/reading/propose.ts';
import type { PutQuestion } from '../propose/session/encoding-question.ts';
import { forProgram } from '../propose/session/program-question.ts';
import { openPointsOf, type WordedQuestion, worded } from '../propose/session/question-reason.ts';
import {
  agreeOnMapping,
  type FinishedMapping,
  type MappingSession,
  withDialogue,
} from '../propose/session/session.ts';
import { parseMappingFile } from '../read/mapping/mapping-file.ts';
import type { MappingFile } from '../read/mapping/mapping-schema.ts';
import { knownMappingsOf } from '../read/sources/mapping-of-table.ts';
import { openInputFile } from '../read/sources/open-file.ts';
import { isAnythingRemembered, knownMapping, outdatedMapping } from '../read/sources/remembered-mappings.ts';
import { exportKeyOf, exportMappingFor } from '../reconcile/batches/exports.ts';
import { type ExportMapping, parseExportMapping } from '../reconcile/export/mapping.ts';

export type { ExportMapping, MappingFile };

/** The mapping of a file. */
export interface MappingResult extends CallResult {
  /** The proposal; its mapping lists the open questions. Null where a person has answered them. */
  readonly proposal: { readonly reading: Reading; readonly result: TrialResult } | null;
  /** The agreed mapping; null where no person was asked. */
  readonly agreed: FinishedMapping | null;
}

interface MappingRequest {
  /** A path; `-` is standard input. */
  readonly file: string;
  /**
   * Answers the questions of the dialogue (docs/mapping.md has their shapes); the mapping is then written and remembered.
   * When absent, the best reading is proposed, and nothing is stored.
   */
  readonly answer?: (question: WordedQuestion) => unknown;
  /** The path of the mapping's file without `.mapping.json`; derived from the file's name when absent. */
  readonly stem?: string;
  /** Whether to ask everything again, beginning with the agreed mapping for files of this header. */
  readonly edit?: boolean;
  /** Asks only about this column. */
  readonly about?: string;
}

/**
 * Proposes the mapping with which most rows of a file pass, or agrees on a mapping with a person.
 * @throws PaybatchError (`file_refused`) for a file that cannot be read, or whose kind cannot be determined; (`usage`) for
 *   an impossible answer
 */
export async function proposeMappingOf(app: CallContext, request: MappingRequest): Promise<MappingResult> {
  const { file, answer } = request;
  if (answer !== undefined) return agreed(app, { ...request, answer });
  return withDialogue(app, file, null, async (dialogue) => {
    const proposal = await dialogue.proposed();
    const { reading } = proposal;
    const open = openPointsOf(reading, proposal.result.differing);
    // A row of any kind needs at least two columns with a meaning.
    const used = reading.uses.filter(({ fields }) => fields.length > 0);
    if (app.settings.reading.kind === undefined && used.length < 2) throw undecidedKind();
    return {
      ...noBatches,
      proposal: { ...proposal, reading: { ...reading, mapping: { ...reading.mapping, open: [...open] } } },
      agreed: null,
    };
  });
}

async function agreed(
  app: CallContext,
  { file, answer, stem, ...again }: MappingRequest & Required<Pick<MappingRequest, 'answer'>>,
): Promise<MappingResult> {
  const put: PutQuestion = async (question, take) => {
    const asked = forProgram(question);
    const said = await answer(worded(asked.question));
    const problem = await take(question.question, asked.answerOf(said));
    if (problem === undefined) return;
    throw new PaybatchError(
      'answer_invalid',
      `The answer to question ${question.question} (${question.about}) is not possible: ${problem}.`,
      'answer with one of its options (docs/mapping.md)',
    );
  };
  const lead = async ({ dialogue }: MappingSession): Promise<string | undefined> => {
    for (let question = await dialogue.next(); question !== null; question = await dialogue.next())
      await put(question, (number, said) => dialogue.answer(number, said));
    return stem === undefined ? undefined : `${stem}.mapping.json`;
  };
  const finished = await agreeOnMapping(app, { file, lead, again, put });
  return { ...noBatches, proposal: null, agreed: finished };
}

function undecidedKind(): PaybatchError {
  return new PaybatchError('unknown_kind', 'Neither the header nor the values tell what the rows are.', [
    { action: 'set', purpose: 'name it', oneOf: kindAdjustments },
    { action: 'set', purpose: 'name another sheet', oneOf: [{ setting: 'sheet' }] },
  ]);
}

/** A request to show or forget remembered mappings. */
interface RememberedRequest {
  /** Whether the mappings are forgotten instead of only shown. */
  readonly isForgotten: boolean;
  /** A mapping's name, or the path of a file that it reads; all mappings when absent. */
  readonly named?: string | undefined;
  /** Selects one mapping by its id instead of its name, since several mappings may have the same name. */
  readonly id?: string;
}

/** A remembered mapping as people see it: for files to import, or for exports to compare with. */
export type ShownMapping = ShownWhenAndWhere &
  (
    | { readonly purpose: 'import'; readonly kind: Kind; readonly mapping: MappingFile }
    | { readonly purpose: 'export'; readonly kind: null; readonly mapping: ExportMapping }
  );

interface ShownWhenAndWhere {
  /** The unique id of the mapping: the hash of the header to which it applies. */
  readonly id: string;
  readonly name: string;
  readonly header: readonly string[];
  /** When the mapping was stored, ISO 8601 in UTC. */
  readonly rememberedAt: string;
}

/** A mapping as the ledger lists it. */
type Listed = ListedMapping | ListedExport;

interface RememberedResult extends CallResult {
  readonly mappings: readonly ShownMapping[];
  readonly areForgotten: boolean;
}

/**
 * Shows the remembered mappings, or those of one name or file, and forgets them on request. Batches keep the mapping with
 * which they were read.
 * @throws PaybatchError (`usage`) where nothing is remembered under that name, or several mappings are
 */
export async function showRemembered(
  app: CallContext,
  request: RememberedRequest,
): Promise<RememberedResult> {
  const { isForgotten, named, id } = request;
  if (!isAnythingRemembered(app)) {
    if (named !== undefined || id !== undefined) throw notRemembered(named ?? id ?? '');
    return resultOf([], isForgotten);
  }
  const { verbs } = await app.connections.ledger();
  const mappings = await verbs.listRememberedMappings();
  const exports = await verbs.listRememberedExports();
  const wanted = await wantedOf(app, request, mappings, exports);
  for (const { headerKey } of isForgotten ? wanted : []) await verbs.forgetMapping(headerKey);
  return resultOf(wanted, isForgotten);
}

async function wantedOf(
  app: CallContext,
  { named, id }: Pick<RememberedRequest, 'named' | 'id'>,
  mappings: readonly ListedMapping[],
  exports: readonly ListedExport[],
): Promise<readonly Listed[]> {
  const listed = [...mappings, ...exports].sort((one, other) =>
    one.rememberedAt < other.rememberedAt ? 1 : -1,
  );
  if (id === undefined) return named === undefined ? listed : mappingsNamed(app, named, mappings, exports);
  const found = listed.filter(({ headerKey }) => headerKey === id);
  if (found.length === 0) throw notRemembered(id);
  return found;
}

/** The mappings of a name or a file. If both exist, the mapping's name takes precedence over the path. */
async function mappingsNamed(
  app: CallContext,
  named: string,
  mappings: readonly ListedMapping[],
  exports: readonly ListedExport[],
): Promise<readonly Listed[]> {
  const byName = [...mappings, ...exports].filter(({ name }) => name === named);
  if (byName.length === 1) return byName;
  if (byName.length > 1) {
    throw new PaybatchError(
      'mapping_ambiguous',
      `${byName.length} remembered mappings are called "${named}".`,
      'name a file that is read with it',
    );
  }
  if (!existsSync(named)) throw notRemembered(named);
  const isHeader = (cells: readonly string[]): boolean =>
    outdatedMapping(cells, mappings) !== undefined || exportMappingFor(cells, exports) !== null;
  const file = await openInputFile(named, app.settings.reading, isHeader);
  const ofFile = await knownMappingsOf(file, app.settings.reading, mappings.map(knownMapping)).finally(() =>
    file.close(),
  );
  const keys = new Set([
    ...ofFile.map(({ headerKey }) => headerKey),
    ...file.tables.map(({ header }) => exportKeyOf(header.map(unprotectCell))),
  ]);
  const found = [...mappings, ...exports].filter(({ headerKey }) => keys.has(headerKey));
  if (found.length === 0) throw notRemembered(named);
  return found;
}

function resultOf(mappings: readonly Listed[], areForgotten: boolean): RememberedResult {
  const shown = mappings.map((listed): ShownMapping => {
    const { headerKey: id, name, header, mapping, rememberedAt } = listed;
    const place = `"${name}" that is remembered`;
    const read =
      'kind' in listed
        ? { purpose: 'import' as const, kind: listed.kind, mapping: parseMappingFile(mapping, place) }
        : { purpose: 'export' as const, kind: null, mapping: parseExportMapping(mapping, place) };
    return { id, name, header, rememberedAt, ...read };
  });
  return { ...noBatches, mappings: shown, areForgotten };
}

function notRemembered(named: string): PaybatchError {
  return new PaybatchError('mapping_not_remembered', `No mapping is remembered for "${named}".`, {
    action: 'remembered_mappings',
    effect: 'lists those that are',
  });
}
