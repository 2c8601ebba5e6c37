import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../src/cli/options/settings.ts';
import { requireOutFolder } from '../../../src/job/files/out-folder.ts';

const settingsFor = (out: string) => settingsOf({ out }, {});

describe('the folder for result files', () => {
  it('is made with everything above it, for its owner only', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'out-')), 'a', 'b');
    await requireOutFolder(settingsFor(out));
    expect(statSync(out).mode & 0o777).toBe(0o700);
  });

  it('is refused where a file stands in its way', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'out-')), 'file');
    writeFileSync(file, '');
    await expect(requireOutFolder(settingsFor(join(file, 'results')))).rejects.toThrow(
      /cannot be written to/,
    );
  });

  it.runIf(existsSync('/proc/self'))('is refused, at once, where no folder can be made', async () => {
    await expect(requireOutFolder(settingsFor('/proc/results'))).rejects.toThrow(/cannot be written to/);
  });
});
