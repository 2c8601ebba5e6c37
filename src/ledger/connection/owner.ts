/* Who runs: host and process, and whether such a process may still be alive. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunOwner } from '../../domain/batches/batch.ts';

/** This program as an owner: process ids are used again, so its start and the machine's boot are part of it. */
export function thisOwner(): RunOwner {
  return { host: hostname(), process: identityOf(process.pid) };
}

/** Whether an owner may still be running. It only makes takeovers faster; leases decide. */
export function mayBeAlive(owner: RunOwner): boolean {
  return whereaboutsOf(owner) !== 'gone';
}

/**
 * Whether an owner is running on this host. On another host nobody can tell, nor in another container of this host,
 * whose process ids mean nothing here; otherwise its process has to be there, and be the same one.
 */
export function whereaboutsOf(owner: RunOwner): 'here' | 'gone' | 'elsewhere' {
  if (owner.host !== hostname()) return 'elsewhere';
  const [pid, , boot, namespace] = owner.process.split(' ');
  const [, , thisBoot, thisNamespace] = identityOf(process.pid).split(' ');
  if (boot === thisBoot && namespace !== thisNamespace) return 'elsewhere';
  const number = Number(pid);
  if (!Number.isInteger(number) || number <= 0) return 'elsewhere';
  if (!isRunning(number)) return 'gone';
  const found = identityOf(number);
  // A system that hides other users' processes does not say which one it is.
  return found === String(number) || found === owner.process ? 'here' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * `PID START BOOT NAMESPACE` where the system tells them (Linux), else the process id alone. Only ids of
 * this program's own namespace are asked for.
 */
function identityOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in brackets and may hold spaces; the start time is the 20th field after it.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${pid} ${afterName[19] ?? ''} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return String(pid);
  }
}
