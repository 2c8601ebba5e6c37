import { describe, expect, it } from 'vitest';
import { type CallResult, withLeftOut } from '../../src/account/result.ts';
import { readSettings } from '../../src/call/settings.ts';
import { documentOf } from '../../src/cli/json/document.ts';
import { commandLineWords } from '../../src/cli/remedies/remedy-text.ts';

const words = commandLineWords({ settings: readSettings({}) });
const done: CallResult = { outcome: 'done', batches: [], failure: null };
const sheet = { file: 'months.xlsx', sheet: 'Old list', rows: 12 };

describe('sheets that were left out', () => {
  it('are named in the output, and a person has to look at them', () => {
    const result = withLeftOut(done, [sheet]);
    expect(result.outcome).toBe('rows_need_correction');
    expect(documentOf(result, words)).toMatchObject({ exit_code: 1, left_out_sheets: [sheet] });
    expect(withLeftOut({ ...done, outcome: 'stopped' }, [sheet]).outcome).toBe('stopped');
  });

  it('change nothing where there is none', () => {
    expect(withLeftOut(done, [])).toBe(done);
    expect(documentOf(done, words)).toEqual({ exit_code: 0, batches: [], error: null });
  });
});
