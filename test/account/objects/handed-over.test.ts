import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setAside } from '../../../src/account/objects/handed-over.ts';
import { temporaryFolder } from '../temporary-folder.ts';

it('gives files a free name, and passes over what is not there', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.objects.csv');
  for (const name of ['a.objects.before-recover.csv', 'a.objects.before-recover-2.csv']) {
    await writeFile(path, 'facts');
    expect(await setAside([path, join(folder, 'a.instructions.html')])).toEqual([join(folder, name)]);
  }
  expect(await readdir(folder)).toHaveLength(2);
});

it('says what is wrong where a file cannot be renamed', async () => {
  const path = join(temporaryFolder(), 'a.objects.csv');
  await writeFile(path, 'facts');
  const rename = (): Promise<void> => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
  await expect(setAside([path], { rename })).rejects.toMatchObject({ code: 'folder_not_writable' });
});
