/* Preparations before the first file: the ledger's schema, and files to fill in. */

import { join } from 'node:path';
import { iso31661 } from 'iso-3166';
import { type CallResult, noBatches } from '../account/result.ts';
import { templateCsv, templateWorkbook, writeTemplateFile } from '../account/template-workbook.ts';
import { directoriesOf } from '../call/api-access.ts';
import type { CallContext } from '../call/context.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import type { Kind } from '../domain/batches/batch.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import type { InstitutionSnapshot } from '../domain/institution.ts';
import { createNameSearch } from '../domain/text/characters.ts';
import { definitionFor, kinds } from '../kinds/registry.ts';
import { templateOf } from '../kinds/template.ts';
import { asOpeningFailure } from '../ledger/connection/database-failure.ts';
import { grantRoles, migrate } from '../ledger/connection/migrate.ts';
import { migrationLimits } from '../ledger/connection/server-pool.ts';
import { readWhetherReadOnly, requireWrites } from '../ledger/connection/server-settings.ts';
import { bindVerbs } from '../ledger/verbs.ts';
import { openApi } from '../send/batches/continue-batches.ts';
import { restorePolicy } from './policy.ts';

/** What to do in addition to bringing the schema up to date. */
interface MigrateRequest {
  /** Whether the roles of workers and approvers are created, or brought up to date. */
  readonly roles?: boolean;
  /** Path of a policy that is put into force because no approver is left. */
  readonly restorePolicy?: string | undefined;
}

/** The result of bringing the schema up to date. */
interface MigrateResult extends CallResult {
  /** Names of the migrations that were applied by this call. */
  readonly applied: readonly string[];
  readonly areRolesMade: boolean;
  /** Version of the restored policy; null where none was restored. */
  readonly restoredPolicy: number | null;
}

/**
 * Brings the ledger's schema up to date.
 * @throws PaybatchError (`database_missing`) if roles are requested for the embedded ledger; (`restore_refused`) if a
 *   policy is restored although enough approvers are in office; (`policy_invalid`)
 */
export async function migrateLedger(app: CallContext, request: MigrateRequest): Promise<MigrateResult> {
  // The ledger is closed first: the embedded ledger can be open only once, and every later call has to see the new schema.
  await app.connections.closeLedger();
  const ledger = await app.connections.openUnchecked(migrationLimits);
  const { roles: areRolesMade = false, restorePolicy: path } = request;
  try {
    if (!ledger.isEmbedded) requireWrites(await readWhetherReadOnly(ledger.database));
    const applied = await migrate(ledger);
    if (areRolesMade) await grantRoles(ledger);
    const restoredPolicy =
      path === undefined ? null : await restorePolicy(bindVerbs(ledger.database), path, app.actor);
    return { ...noBatches, applied, areRolesMade, restoredPolicy };
  } catch (error) {
    throw asOpeningFailure(error);
  } finally {
    await ledger.close();
  }
}

/** A file to fill in. */
interface TemplateRequest {
  readonly kind: string;
  /** Only the columns of this payee type; all columns of the kind when absent. */
  readonly payeeType?: string | undefined;
  readonly format: 'csv' | 'xlsx';
  /** The folder for the file; with `null` the bytes are returned and nothing is written. */
  readonly folder: string | null;
  /** Whether a file of the same name is overwritten. */
  readonly force: boolean;
}

/** A file to fill in, with example rows. */
interface TemplateResult extends CallResult {
  readonly bytes: Buffer;
  /** Where the file was written; null if it was not written. */
  readonly path: string | null;
}

/**
 * Makes a file to fill in.
 * @throws PaybatchError (`usage`) for an unknown kind, or a file that exists already
 */
export async function writeTemplate(_: CallContext, request: TemplateRequest): Promise<TemplateResult> {
  const kind = kindNamed(request.kind);
  const payeeType = request.payeeType ?? null;
  if (payeeType !== null && definitionFor(kind, payeeType) === undefined) {
    throw usage(`${kind} have no payee types.`, {
      action: 'leave_out',
      settings: [{ setting: 'payeeType' }],
    });
  }
  const template = templateOf(kind, payeeType);
  const bytes = request.format === 'xlsx' ? await templateWorkbook(template) : templateCsv(template);
  const { folder } = request;
  const path = folder === null ? null : join(folder, `${template.name}.${request.format}`);
  if (folder !== null && path !== null) await writeInto(folder, path, bytes, request.force);
  return { ...noBatches, bytes, path };
}

function kindNamed(text: string): Kind {
  const kind = kinds.find((candidate) => candidate === text);
  if (kind !== undefined) return kind;
  throw usage(`There is no kind "${text}".`, `choose one of ${kinds.join(', ')}`);
}

async function writeInto(folder: string, path: string, bytes: Buffer, force: boolean): Promise<void> {
  await requireOutFolder({ out: folder });
  if (await writeTemplateFile(path, bytes, force)) return;
  throw new PaybatchError('file_exists', `${path} is there already, and may have been filled in.`, [
    'move it away',
    { action: 'set', purpose: 'choose another folder', oneOf: [{ setting: 'out' }] },
    { action: 'set', oneOf: [{ setting: 'force' }], effect: 'overwrites it' },
  ]);
}

function usage(message: string, next: Remedies): PaybatchError {
  return new PaybatchError('usage', message, next);
}

/* A country's institutions. */

/** The institutions of a country, read no longer ago than the settings allow. */
interface InstitutionsResult extends CallResult {
  readonly country: NamedCountry;
  readonly snapshot: InstitutionSnapshot;
}

/** Progress is not reported, since the result itself says whether the list is complete. */
const unheard: CallContext['report'] = () => {};

/**
 * Lists a country's institutions. They come from the ledger, or from the API if those in the ledger are too old.
 * @param request names the country by its two letters of ISO 3166-1
 */
export async function listInstitutions(
  app: CallContext,
  request: { readonly country: string },
): Promise<InstitutionsResult> {
  const country = countryOfArgument(request.country);
  const { target, access } = await openApi(app);
  const environmentId = await access.verbs.environmentIdOf(target.environment);
  const openDirectory = directoriesOf({ ...app, report: unheard }, access.verbs);
  const snapshot = await openDirectory(environmentId).snapshot(country.code);
  return { ...noBatches, country, snapshot };
}

/** The countries whose institutions can be queried. */
interface InstitutionCountries extends CallResult {
  /** The countries of which the ledger has a list. */
  readonly known: readonly NamedCountry[];
  /** All countries, by name. */
  readonly all: readonly NamedCountry[];
}

/** Returns the countries of which the ledger has lists. The API is not queried. */
export async function institutionCountries(
  app: CallContext,
  _request: Readonly<Record<string, never>>,
): Promise<InstitutionCountries> {
  const collator = new Intl.Collator('en');
  const all = countries
    .map(({ alpha2: code, name }) => ({ code, name }))
    .sort((one, other) => collator.compare(one.name, other.name));
  if (!app.connections.isLedgerThere()) return { ...noBatches, known: [], all };
  const { verbs } = await app.connections.ledgerToRead();
  const codes = new Set(await verbs.listInstitutionCountries());
  return { ...noBatches, known: all.filter(({ code }) => codes.has(code)), all };
}

/** A country with the name by which people know it. */
export interface NamedCountry {
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly code: string;
  readonly name: string;
}

const countries = iso31661.flatMap((entry) => (entry.state === 'assigned' ? [entry] : []));

/**
 * The country that a code names.
 * @throws PaybatchError (`usage`) with the nearest country for anything else
 */
export function countryOfArgument(text: string): NamedCountry {
  const code = text.trim().toUpperCase();
  const found = countries.find(({ alpha2 }) => alpha2 === code);
  if (found !== undefined) return { code, name: found.name };
  const nearest = nearestTo(text.trim());
  throw new PaybatchError(
    'invalid_country',
    `"${text}" is no country code: that is two letters, such as KE.`,
    nearest === undefined
      ? { action: 'institutions', country: 'KE' }
      : { action: 'institutions', country: nearest.code, remark: nearest.name },
  );
}

function nearestTo(text: string): NamedCountry | undefined {
  const code = text.toUpperCase();
  const byName = createNameSearch(countries.map(({ name }) => name));
  const [name] = text.length > 2 ? byName(text, 1) : [];
  const [likeCode] =
    text.length === 2 ? createNameSearch(countries.map(({ alpha2 }) => alpha2))(code, 1) : [];
  const entry =
    countries.find(({ alpha3 }) => alpha3 === code) ??
    countries.find((each) => each.name === name || each.alpha2 === likeCode);
  return entry === undefined ? undefined : { code: entry.alpha2, name: entry.name };
}
