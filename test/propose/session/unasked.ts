/*
 * The groups of rows that an import has refused without a question: read from its file of results, not from what the
 * dialogue believes.
 */

import { parse } from 'csv-parse/sync';
import { unprotectCell } from '../../../src/domain/tables/table.ts';
import { isChangeable } from '../../../src/propose/dialogue/refused-groups.ts';

/** A question that was asked, as far as it says what it was about. */
export interface AskedQuestion {
  /** The column's title. */
  readonly about: string;
  /** The code of the reason for which the values are refused. */
  readonly reason?: string | undefined;
  readonly values?: readonly { readonly value: string }[];
}

interface RefusedWithoutQuestion {
  readonly column: string;
  readonly code: string;
  readonly rows: number;
  readonly samples: readonly string[];
}

const fewestRows = 5;
const leastShare = 0.02;
const samplesShown = 3;

/**
 * Each column and reason with at least five refused rows (or 2 % of all, if that is more) that another reading could change
 * and that no question was about.
 * @param results the text of the file of results
 */
export function refusedWithoutQuestion(
  results: string,
  questions: readonly AskedQuestion[],
): readonly RefusedWithoutQuestion[] {
  const rows: Record<string, string>[] = parse(results, {
    bom: true,
    columns: true,
    relax_column_count: true,
  });
  const groups = new Map<string, { column: string; code: string; texts: string[] }>();
  for (const row of rows) {
    const { result_status: status, result_code: code = '', result_field: column = '' } = row;
    const text = unprotectCell(row[column] ?? '').trim();
    // An empty cell has no value that could be read in another way.
    if (status !== 'invalid' || text === '' || !isChangeable(code, text)) continue;
    const own = questions.filter(({ about }) => about === column);
    const isAsked = own.some(
      ({ reason, values = [] }) => reason === code || values.some(({ value }) => value === text),
    );
    if (isAsked) continue;
    const key = JSON.stringify([column, code]);
    const group = groups.get(key) ?? { column, code, texts: [] };
    groups.set(key, group);
    group.texts.push(text);
  }
  const least = Math.max(fewestRows, leastShare * rows.length);
  return [...groups.values()]
    .filter(({ texts }) => texts.length >= least)
    .map(({ column, code, texts }) => {
      const samples = [...new Set(texts)].slice(0, samplesShown);
      return { column, code, rows: texts.length, samples };
    });
}
