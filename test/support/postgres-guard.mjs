/**
 * Runs a PostgreSQL server for as long as the process that started this lives: `postgres-guard FOLDER PROGRAM ARGUMENT...`,
 * with `SERVER_UID` and `SERVER_GID` in the environment where it is to run as another user.
 * SIGINT and SIGQUIT stop the server (at once; as if it crashed). When standard input ends, because it was closed
 * or because its other end was killed, the server is stopped and the folder is removed with all its files.
 * Plain JavaScript, since to load what translates TypeScript takes longer than to start the server.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder, program, ...args] = process.argv.slice(2);
if (folder === undefined || program === undefined) throw new Error('which folder, which program?');
const { SERVER_UID: uid, SERVER_GID: gid } = process.env;

const server = spawn(program, args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  cwd: folder,
  ...(uid === undefined ? {} : { uid: Number(uid) }),
  ...(gid === undefined ? {} : { gid: Number(gid) }),
});
let isAbandoned = false;

for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => server.kill(signal));
process.stdin.on('end', () => {
  isAbandoned = true;
  // Nobody needs the data any more, so there is nothing to write out.
  server.kill('SIGQUIT');
});
process.stdin.resume();

server.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
  process.stdin.destroy();
});
server.on('exit', () => {
  process.stdin.destroy();
  if (isAbandoned) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});
