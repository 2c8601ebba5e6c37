/* The parts of an `.xlsx` file: the workbook, and its sheets. */

import type { Archive } from '../../file/archive.ts';
import { damagedFile, InputError } from '../../file/input-error.ts';
import type { InputLimits } from '../../file/limits.ts';
import { isTrue, prefixedAttribute, readXml } from '../../file/xml.ts';
import type { DateSystem } from '../sheet/cell-value.ts';

/** A sheet as the workbook lists it. */
export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  /** The part's name in the archive; null for a sheet without cells (a chart, a dialogue, a macro). */
  readonly part: string | null;
}

/** Where a workbook's parts are. */
interface WorkbookParts {
  readonly sheets: readonly SheetPart[];
  readonly dateSystem: DateSystem;
  readonly sharedTexts: string | null;
  readonly styles: string | null;
}

interface Relationship {
  /** The last word of its type, which is the same in both editions of the format. */
  readonly type: string;
  readonly target: string;
}

const SHEETS = 1000;

/** Joins a part's folder and a relative or absolute target; `..` cannot lead out of the archive. */
function resolvePart(folder: string, target: string): string {
  const segments: string[] = [];
  const path = target.startsWith('/') ? target : `${folder}/${target}`;
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function folderOf(part: string): string {
  return part.includes('/') ? part.slice(0, part.lastIndexOf('/')) : '';
}

async function readRelationships(
  archive: Archive,
  of: string,
  limits: InputLimits,
): Promise<Map<string, Relationship>> {
  const folder = folderOf(of);
  const part = resolvePart(folder, `_rels/${of.slice(of.lastIndexOf('/') + 1)}.rels`);
  const relationships = new Map<string, Relationship>();
  await readXml(
    archive.read(part),
    {
      open(name, attributes) {
        if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
        const type = attributes.Type ?? '';
        relationships.set(attributes.Id ?? '', {
          type: type.slice(type.lastIndexOf('/') + 1),
          target: resolvePart(folder, attributes.Target ?? ''),
        });
      },
      close() {},
      text() {},
    },
    limits,
  );
  return relationships;
}

/** @returns the part's name of the first relationship of that type, or null */
function targetOfType(relationships: ReadonlyMap<string, Relationship>, type: string): string | null {
  return [...relationships.values()].find((relationship) => relationship.type === type)?.target ?? null;
}

/** The workbook's own part, which everything else is found from. */
export async function findWorkbookPart(archive: Archive, limits: InputLimits): Promise<string> {
  const part = targetOfType(await readRelationships(archive, '', limits), 'officeDocument');
  if (part === null) throw damagedFile('it does not say where its workbook is');
  return part;
}

function notAWorkbook(): InputError {
  return new InputError(
    'document_file',
    'This is a document or a presentation, not a workbook.',
    'copy its table into a spreadsheet program and save it as .xlsx',
  );
}

/** Reads the list of sheets. */
export async function readWorkbookParts(
  archive: Archive,
  workbookPart: string,
  limits: InputLimits,
): Promise<WorkbookParts> {
  const relationships = await readRelationships(archive, workbookPart, limits);
  const sheets: SheetPart[] = [];
  let dateSystem: DateSystem = 1900;
  let isRoot = true;
  await readXml(
    archive.read(workbookPart),
    {
      open(name, attributes) {
        if (isRoot && name !== 'workbook') throw notAWorkbook();
        isRoot = false;
        if (name === 'workbookPr' && isTrue(attributes.date1904)) dateSystem = 1904;
        if (name !== 'sheet') return;
        const relationship = relationships.get(prefixedAttribute(attributes, 'id') ?? '');
        if (relationship === undefined || sheets.length >= SHEETS)
          throw damagedFile('its list of sheets is wrong');
        const part = relationship.type === 'worksheet' ? relationship.target : null;
        // A short file could otherwise make a long sheet be read a thousand times.
        if (part !== null && sheets.some((sheet) => sheet.part?.toLowerCase() === part.toLowerCase())) {
          throw damagedFile('two of its sheets are the same part');
        }
        const isHidden = (attributes.state ?? 'visible') !== 'visible';
        sheets.push({ name: attributes.name ?? '', isHidden, part });
      },
      close() {},
      text() {},
    },
    limits,
  );
  return {
    sheets,
    dateSystem,
    sharedTexts: targetOfType(relationships, 'sharedStrings'),
    styles: targetOfType(relationships, 'styles'),
  };
}
