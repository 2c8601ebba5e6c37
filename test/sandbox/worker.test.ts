import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { startSandboxInWorker } from '../../src/sandbox/worker.ts';
import { clientOf, temporaryFolder } from './harness.ts';

const built = new URL('../../dist/src/sandbox/worker.js', import.meta.url);
const source = new URL('../../src/sandbox/worker.ts', import.meta.url);

/** Starts a sandbox in a worker of a fresh process, uses it, and closes it; the process must then end by itself. */
function useInProcess(module: URL, nodeOptions: string[]): string {
  const script = `
    const { startSandboxInWorker } = await import('${module.href}');
    const sandbox = await startSandboxInWorker({ dataDir: ${JSON.stringify(temporaryFolder())} });
    const address = sandbox.url + '/v1/external-accounts/institutions?country_iso_code=KE';
    const response = await fetch(address, { headers: { 'api-key': sandbox.apiKeys.live } });
    await sandbox.close();
    console.log(response.status);`;
  const options = {
    encoding: 'utf8',
    timeout: 30_000,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  } as const;
  // A file, as the program is one: threads inherit `--input-type`, and refuse it.
  const program = join(temporaryFolder(), 'program.mjs');
  writeFileSync(program, script);
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, program], options);
  return stdout.trim() || stderr;
}

describe('a sandbox in a worker', () => {
  it('serves from its sources', () => {
    expect(useInProcess(source, ['--import', 'tsx'])).toBe('200');
  });

  it.runIf(existsSync(built))('serves from the built program', () => {
    expect(useInProcess(built, [])).toBe('200');
  });

  it('takes its options with it, and has the folder until it is closed', async () => {
    const dataDir = temporaryFolder();
    const sandbox = await startSandboxInWorker({ dataDir, faults: parseFaults('503=1,first=1') });
    const client = clientOf({
      ...sandbox,
      counts: () => {
        throw new Error('not reachable in a worker');
      },
    });
    const address = '/v1/external-accounts/institutions?country_iso_code=KE';
    expect([(await client.get(address)).status, (await client.get(address)).status]).toEqual([503, 200]);
    await expect(startSandboxInWorker({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
    await sandbox.close();
    await (await startSandboxInWorker({ dataDir })).close();
  });
});
