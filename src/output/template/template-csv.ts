import type { Template } from '../../domain/tables/template.ts';
import { byteOrderMark, csvText } from '../files/csv-text.ts';

/** A template as CSV: its header, and the example rows. */
export function templateCsv({ columns, exampleRows }: Template): Buffer {
  return Buffer.from(byteOrderMark + csvText([columns.map(({ name }) => name), ...exampleRows]), 'utf8');
}
