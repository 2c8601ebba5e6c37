// Installs the locked dependencies when they are missing or older than the lock file, so that
// `npm start` and `npm test` are all the set-up there is. The lock file is never rewritten.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const isCurrent =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;

if (!isCurrent) {
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const install = spawnSync(program, ['ci', ...options], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(install.status ?? 1);
}
