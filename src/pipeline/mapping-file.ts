import { z } from 'zod';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';
import { plainReadingRules, type ReadingRules } from '../domain/mapping.ts';

/**
 * A mapping file: how to read a partner's file. Columns and ignored columns are named as the file names
 * them; constants and value translations by paybatch's own fields.
 */
export const mappingFileSchema = z.strictObject({
  $schema: z.string().optional(),
  columns: z.record(z.string(), z.string()).optional().describe("The file's column to paybatch's column"),
  constants: z
    .record(z.string(), z.string())
    .optional()
    .describe("paybatch's column to the value of every row"),
  ignore: z.array(z.string()).optional().describe("The file's columns that are left out"),
  values: z
    .record(z.string(), z.record(z.string(), z.string()))
    .optional()
    .describe("paybatch's column to translations: the file's value to the value meant"),
  dateFormat: z
    .string()
    .regex(/^(?=.*YYYY)(?=.*MM)(?=.*DD)[YMD./ -]{8,12}$/, 'must be made of YYYY, MM and DD, as in DD/MM/YYYY')
    .optional(),
  decimal: z.enum(['.', ',']).optional(),
  thousands: z.enum(['', ',', '.', ' ', "'"]).optional(),
  lineBreaks: z.enum(['invalid', 'space']).optional(),
  numericIdentifiers: z.enum(['refuse', 'accept']).optional(),
});

export type MappingFile = z.infer<typeof mappingFileSchema>;

/** @throws Failure (exit 2) that names the first thing that is wrong */
export function parseMappingFile(text: string, path: string): MappingFile {
  const refuse = (problem: string): Failure =>
    new Failure(
      exitCodes.usage,
      'mapping_invalid',
      `The mapping ${path} ${problem}.`,
      'correct the mapping file',
    );
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refuse('is not JSON');
  }
  const parsed = mappingFileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`is not valid at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? 'unknown problem'}`);
  }
  if (parsed.data.decimal !== undefined && parsed.data.decimal === parsed.data.thousands) {
    throw refuse('gives the same sign for decimals and thousands');
  }
  return parsed.data;
}

/** How values are written, with what the mapping leaves unsaid in its plain form. */
export function readingRulesOf(mapping: MappingFile): ReadingRules {
  return {
    dateFormat: mapping.dateFormat ?? plainReadingRules.dateFormat,
    decimal: mapping.decimal ?? plainReadingRules.decimal,
    thousands: mapping.thousands ?? plainReadingRules.thousands,
    lineBreaks: mapping.lineBreaks ?? plainReadingRules.lineBreaks,
    numericIdentifiers: mapping.numericIdentifiers ?? plainReadingRules.numericIdentifiers,
  };
}
