import { existsSync } from 'node:fs';
import type { Kind } from '../domain/batches/batch.ts';
import type { ErrorCode } from '../domain/failures/error-codes.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { Remedies } from '../domain/failures/remedy.ts';
import type { ListedMapping } from '../domain/tables/mapping.ts';
import { type MappingFile, parseMappingFile } from '../pipeline/mapping/mapping-file.ts';
import { naming, openInputFile } from './reading/open-file.ts';
import { isAnythingRemembered, knownMapping, outdatedMapping } from './reading/remembered-mappings.ts';
import { knownMappingsOf } from './reading/tables-of-file.ts';
import type { CallContext } from './running/context.ts';
import type { CallResult } from './running/result.ts';

/** What is wanted of the mappings that are remembered. */
interface RememberedRequest {
  /** Whether they are forgotten, not only shown. */
  readonly isForgotten: boolean;
  /** A mapping's name, or the path of a file that is read with it; all of them when absent. */
  readonly named?: string;
  /** The one mapping of this id, in place of a name: several may have the same name. */
  readonly id?: string;
}

/** A remembered mapping, for a person to look at. */
export interface ShownMapping {
  /** Tells it from all others: the hash of the header that it is for. */
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  readonly header: readonly string[];
  /** ISO 8601 in UTC. */
  readonly rememberedAt: string;
  readonly mapping: MappingFile;
}

interface RememberedResult extends CallResult {
  readonly mappings: readonly ShownMapping[];
  readonly areForgotten: boolean;
}

/**
 * Shows the remembered mappings, or those of one name or file, and forgets them if that is wanted. Batches keep the
 * mapping that they were read with.
 * @throws PaybatchError (`usage`) where nothing is remembered under that name, or several mappings are
 */
export async function showRemembered(
  app: CallContext,
  { isForgotten, named, id }: RememberedRequest,
): Promise<RememberedResult> {
  if (!isAnythingRemembered(app)) {
    if (named !== undefined || id !== undefined) throw notRemembered(named ?? id ?? '');
    return resultOf([], isForgotten);
  }
  const { verbs } = await app.connections.ledger();
  const all = await verbs.listRememberedMappings();
  const wanted = await wantedOf(app, { named, id }, all);
  if (!isForgotten) return resultOf(wanted, false);
  for (const { headerKey } of wanted) await verbs.forgetMapping(headerKey);
  return resultOf(wanted, true);
}

async function wantedOf(
  app: CallContext,
  { named, id }: { readonly named: string | undefined; readonly id: string | undefined },
  all: readonly ListedMapping[],
): Promise<readonly ListedMapping[]> {
  if (id === undefined) return named === undefined ? all : mappingsNamed(app, named, all);
  const found = all.filter(({ headerKey }) => headerKey === id);
  if (found.length === 0) throw notRemembered(id);
  return found;
}

/** A name counts before a file of that path. */
async function mappingsNamed(
  app: CallContext,
  named: string,
  all: readonly ListedMapping[],
): Promise<readonly ListedMapping[]> {
  const byName = all.filter(({ name }) => name === named);
  if (byName.length === 1) return byName;
  if (byName.length > 1) {
    throw usage(
      'mapping_ambiguous',
      `${byName.length} remembered mappings are called "${named}".`,
      'name a file that is read with it',
    );
  }
  if (!existsSync(named)) throw notRemembered(named);
  const isHeader = (cells: readonly string[]): boolean => outdatedMapping(cells, all) !== undefined;
  const file = await openInputFile(named, app.settings.reading, isHeader);
  const ofFile = await naming(named, () =>
    knownMappingsOf(file, app.settings.reading, all.map(knownMapping)),
  ).finally(() => file.close());
  if (ofFile.length === 0) throw notRemembered(named);
  return all.filter(({ headerKey }) => ofFile.some((other) => other.headerKey === headerKey));
}

function resultOf(mappings: readonly ListedMapping[], areForgotten: boolean): RememberedResult {
  const shown = mappings.map(
    ({ headerKey: id, name, kind, header, mapping, rememberedAt }): ShownMapping => ({
      id,
      name,
      kind,
      header,
      rememberedAt,
      mapping: parseMappingFile(mapping, `"${name}" that is remembered`),
    }),
  );
  return { outcome: 'done', batches: [], failure: null, mappings: shown, areForgotten };
}

function notRemembered(named: string): PaybatchError {
  return usage('mapping_not_remembered', `No mapping is remembered for "${named}".`, {
    action: 'remembered_mappings',
    effect: 'lists those that are',
  });
}

function usage(code: ErrorCode, message: string, next: Remedies): PaybatchError {
  return new PaybatchError(code, message, next);
}
