// Installs the locked dependencies when they are missing or older than the lock file, so that
// `npm start` and `npm test` are all the set-up there is. The lock file is never rewritten.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const isCurrent =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;

function npm(...args) {
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const install = spawnSync(
    program,
    [...args, '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' },
  );
  return install.status ?? 1;
}

// `npm ci` of npm 11 refuses a lock file that lacks optional packages of other systems, which is how npm
// writes it where those cannot be had; `npm install` takes the same versions from it all the same.
if (!isCurrent && npm('ci') !== 0) {
  console.error('npm ci refuses; installing what the lock file has with npm install.');
  process.exit(npm('install', '--no-save'));
}
