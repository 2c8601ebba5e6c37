import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { plainReadingRules, type ReadingRules } from '../../domain/tables/mapping.ts';
import { fieldForHeader, kinds } from '../../resources/registry.ts';
import { contradictionIn } from './mapping-contradictions.ts';
import { type MappingFile, mappingFileSchema } from './mapping-schema.ts';

export { isSameTitle, type MappingFile, mappingFileSchema } from './mapping-schema.ts';

/** How files are read, without what was said about the content of one: another file has other sums. */
export function withoutExpectations(mapping: MappingFile): MappingFile {
  const { expectRows: _, expectTotal: __, ...reading } = mapping;
  return reading;
}

/** How the rows of a table are read, without what says which table of which file it is. */
export function withoutPlace(mapping: MappingFile): MappingFile {
  const { kind: _, sheet: __, hidden: ___, encoding: ____, delimiter: _____, ...reading } = mapping;
  return reading;
}

/** @throws PaybatchError (`usage`) that names the first thing that is wrong */
export function parseMappingFile(text: string, path: string): MappingFile {
  const refuse = (problem: string): PaybatchError =>
    new PaybatchError(
      'mapping_invalid',
      `The mapping ${path} ${problem}.`,
      'correct the mapping file (docs/mapping.md)',
    );
  if (text.trim() === '') throw refuse('is empty: the command that was to write it seems to have failed');
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refuse('is not JSON');
  }
  const parsed = mappingFileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join(' > ') ?? '';
    throw refuse(
      `is not valid${place === '' ? '' : ` at "${place}"`}: ${issue?.message ?? 'unknown problem'}`,
    );
  }
  const contradiction = contradictionIn(parsed.data);
  if (contradiction !== undefined) throw refuse(contradiction);
  return parsed.data;
}

/** How values are written, with what the mapping leaves unsaid in its plain form. */
export function readingRulesOf(mapping: MappingFile): ReadingRules {
  const { numericIdentifiers = plainReadingRules.numericIdentifiers } = mapping;
  return {
    dateFormat: mapping.dateFormat ?? plainReadingRules.dateFormat,
    decimal: mapping.decimal ?? plainReadingRules.decimal,
    thousands: mapping.thousands ?? plainReadingRules.thousands,
    currencySigns: mapping.currencySigns ?? plainReadingRules.currencySigns,
    // A file that needs a mapping was made for people, who know places by their names.
    places: mapping.places ?? (isEmptyMapping(mapping) ? plainReadingRules.places : 'names'),
    lineBreaks: mapping.lineBreaks ?? plainReadingRules.lineBreaks,
    numericIdentifiers:
      typeof numericIdentifiers === 'string' ? numericIdentifiers : byOwnNames(numericIdentifiers),
  };
}

/** Which rows are meant, where they stand, and what they add up to, says nothing of how values are written. */
function isEmptyMapping(mapping: MappingFile): boolean {
  const {
    $schema: _,
    leaveOut: __,
    controlLine: ___,
    ...meaning
  } = withoutPlace(withoutExpectations(mapping));
  return Object.keys(meaning).length === 0;
}

/** Under the names that fields have with us, however the mapping writes them. */
function byOwnNames<Value>(declared: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => {
      const field = kinds.map((kind) => fieldForHeader(kind, name)).find((own) => own !== undefined);
      return [field ?? name, value];
    }),
  );
}
