import { basename } from 'node:path';
import type { Kind } from '../domain/batches/kind.ts';
import { exitCodes } from '../domain/failures/exit-code.ts';
import { Failure } from '../domain/failures/failure.ts';
import { unprotectCell } from '../domain/tables/formula-cell.ts';
import type { Table, TableRow } from '../domain/tables/table.ts';
import type { InputFile } from '../input/table/opened-table.ts';
import { likeliestKind, looksLikeAnyHeader } from '../pipeline/mapping/likeliest-kind.ts';
import type { MappingFile } from '../pipeline/mapping/mapping-file.ts';
import { type MappingProposal, proposeMapping, type SampledTable } from '../pipeline/mapping/proposal.ts';
import { unknownKind } from '../pipeline/mapping/table-mapping.ts';
import { kinds } from '../resources/registry.ts';
import { type AgreedMapping, agreeOnMapping } from './mapping/dialogue.ts';
import { choosingEncoding } from './reading/choose-encoding.ts';
import { openFile } from './reading/open-file.ts';
import { remember } from './reading/remembered-mappings.ts';
import type { JobContext } from './running/context.ts';
import type { JobResult } from './running/result.ts';

/** Enough to see how the values of most files are written; the rest of a longer one is not looked at. */
const rowsLookedAt = 10_000;

/** A mapping for a file. */
export interface MappingResult extends JobResult {
  readonly proposal: MappingProposal;
  /** What a person has agreed to; null where nobody was asked. */
  readonly agreed: AgreedMapping | null;
  /** The name under which it is remembered for the header; null where it is not. */
  readonly remembered: string | null;
}

export interface MappingRequest {
  /** A path; `-` is standard input. */
  readonly file: string;
  /** Whether a person is asked about each column, and the mapping written to a file. */
  readonly isInteractive?: boolean;
  /** What the mapping's file is named after; the file's own name when absent. */
  readonly stem?: string;
}

/** Proposes a mapping for a file's header and values, and asks a person about it if that is wanted. */
export async function proposeMappingOf(
  app: JobContext,
  { file: path, isInteractive = false, stem }: MappingRequest,
): Promise<MappingResult> {
  const { kind } = app.settings;
  const choose = choosingEncoding(path === '-' ? 'standard input' : basename(path), app.ask);
  const file = await openFile(path, app.settings, looksLikeAnyHeader, choose);
  try {
    const table = tableToRead(app, file);
    const sampled = await sample(table, app.clock.now().toISOString().slice(0, 10));
    const fileName = path === '-' ? 'standard input' : basename(path);
    const found = kind ?? likeliestKind(sampled);
    if (found === undefined) throw undecidedKind(sampled, fileName);
    const proposed = proposeMapping(found, sampled);
    const placed = placeIn(app, file, { kind: found, sheet: table.sheet });
    const proposal = { ...proposed, mapping: { ...placed, ...proposed.mapping } };
    const named = stem ?? (path === '-' ? 'stdin' : file.name);
    const agreed = isInteractive ? await agreeOnMapping(app, proposal, sampled, named, placed) : null;
    const remembered =
      agreed === null
        ? null
        : await remember(app, sampled.header, { ...agreed, kind: found, contentHash: file.contentHash });
    const document = agreed?.mapping ?? proposal.mapping;
    return { exitCode: exitCodes.done, batches: [], failure: null, document, proposal, agreed, remembered };
  } finally {
    await file.close();
  }
}

/** What says which table is read and how it is opened, so that a command needs no option beside the mapping. */
function placeIn(
  { settings }: JobContext,
  { tables, format, chosenEncoding }: InputFile,
  { kind, sheet }: { readonly kind: Kind; readonly sheet: string | null },
): MappingFile {
  const { hidden, encoding = chosenEncoding, delimiter } = settings;
  return {
    kind,
    ...(sheet === null || (tables.length === 1 && settings.sheet === undefined) ? {} : { sheet }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(encoding === undefined || format !== 'csv' ? {} : { encoding }),
    ...(delimiter === undefined || format !== 'csv' ? {} : { delimiter }),
  };
}

/** Whoever asks for a mapping is not helped by the advice to ask for one. */
function undecidedKind(table: Pick<SampledTable, 'sheet'>, fileName: string): Failure {
  const { exitCode, code, message } = unknownKind(table, { fileName });
  const others = table.sheet === null ? '' : '; --sheet names another sheet';
  return new Failure(exitCode, code, message, `name it: --kind ${kinds.join(', or ')}${others}`);
}

/** A mapping is for one header: of several sheets, the first whose header says most. */
function tableToRead({ report }: JobContext, { tables }: InputFile): Table {
  const [first] = tables;
  if (first === undefined) throw new Error('an input has no table');
  const chosen =
    tables.find(
      ({ sheet, header }) => likeliestKind({ sheet, header: header.map(unprotectCell) }) !== undefined,
    ) ?? first;
  if (tables.length > 1) {
    const text = `Only the sheet "${chosen.sheet ?? ''}" is looked at; --sheet names another one.`;
    report({ kind: 'note', text });
  }
  return chosen;
}

async function sample(table: Table, today: string): Promise<SampledTable> {
  const rows: TableRow[] = [];
  for await (const group of table.rows()) {
    rows.push(...group.slice(0, rowsLookedAt - rows.length));
    if (rows.length >= rowsLookedAt) break;
  }
  return {
    sheet: table.sheet,
    today,
    header: table.header.map(unprotectCell),
    above: (table.above ?? []).map(({ cells, kinds }) => ({ cells, kinds })),
    rows: rows.map(({ cells }) => cells),
    kinds: rows.map(({ kinds }) => kinds),
  };
}
