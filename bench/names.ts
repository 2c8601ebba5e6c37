import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { isSameName } from '../src/kinds/like-names.ts';

/*
 * node --import tsx bench/names.ts FILE
 *
 * Compares pairs of names, each labelled as one or two: a CSV file with the columns `name1`, `name2` and `is_match`.
 */

const pairs = z.array(
  z.object({ name1: z.string(), name2: z.string(), is_match: z.enum(['true', 'false']) }),
);

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('node --import tsx bench/names.ts FILE');
const labelled = pairs.parse(parse(readFileSync(path), { columns: true, bom: true }));
const judged = labelled.map(({ name1, name2, is_match: label }) => ({
  isOne: label === 'true',
  isFound: isSameName(name1, name2),
}));
const right = judged.filter(({ isOne, isFound }) => isOne && isFound).length;
const precision = right / judged.filter(({ isFound }) => isFound).length;
const recall = right / judged.filter(({ isOne }) => isOne).length;
const f1 = (2 * precision * recall) / (precision + recall);
process.stdout.write(
  `${labelled.length} pairs: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}\n`,
);
