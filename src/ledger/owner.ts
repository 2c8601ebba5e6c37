import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunOwner } from '../domain/ledger-row.ts';

/** This program as an owner: process ids are used again, so its start and the machine's boot are part of it. */
export function thisOwner(): RunOwner {
  return { host: hostname(), process: identityOf(process.pid) };
}

/**
 * Whether an owner may still be running. On another host nobody can tell, so it may; on this host its
 * process has to be there, and be the same one. Only a shortcut for takeovers: leases decide.
 */
export function mayBeAlive(owner: RunOwner): boolean {
  if (owner.host !== hostname()) return true;
  const pid = Number(owner.process.split(' ', 1)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return true;
  return isRunning(pid) && identityOf(pid) === owner.process;
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

/** `PID START BOOT` where the system tells them (Linux), else the process id alone. */
function identityOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in brackets and may hold spaces; the start time is the 20th field after it.
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${pid} ${afterName[19] ?? ''} ${boot}`;
  } catch {
    return String(pid);
  }
}
