/*
 * The access rights of the console: every address with the roles that may use it. No role may use an address that is
 * not listed.
 */

import { readFileSync } from 'node:fs';
import type { UserRole } from '../../domain/controls/controls.ts';

/** A user's role. `owner` is the person who started a console without users. */
export type ViewerRole = UserRole | 'owner';

const groups = {
  everybody: ['owner', 'maker', 'approver', 'admin'],
  makers: ['owner', 'maker'],
  approvers: ['approver'],
  admins: ['admin'],
} as const satisfies Record<string, readonly ViewerRole[]>;

/** The group of roles that may use each protected route, by the route's method and path. */
export type RouteGroups = Readonly<Record<string, keyof typeof groups>>;

const groupOfRoute: RouteGroups = JSON.parse(readFileSync(new URL('./rights.json', import.meta.url), 'utf8'));

/** Method and path of each protected route, as registered, with the roles that may use it. */
export const rights: Readonly<Record<string, readonly ViewerRole[]>> = Object.fromEntries(
  Object.entries(groupOfRoute).map(([route, group]) => [route, groups[group]]),
);

/** @throws Error for a route that is not listed */
export function requireRights(method: string, path: string): void {
  if (method === 'HEAD' || Object.hasOwn(rights, `${method} ${path}`)) return;
  throw new Error(`the rights of the console do not say who may use ${method} ${path}: add them`);
}

/** @param path of the route as registered, such as `/batches/:batch` */
export function mayUse(role: ViewerRole, method: string, path: string): boolean {
  const asked = method === 'HEAD' ? 'GET' : method;
  return rights[`${asked} ${path}`]?.includes(role) === true;
}

/** Whether a role may use the route of an address, such as `/batches/961a3f1c/send?now=true`. */
export function mayUseAddress(role: ViewerRole, method: 'GET' | 'POST', address: string): boolean {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  const names = path.split('/');
  const found = Object.keys(rights).filter((route) => {
    const [ofMethod, pattern = ''] = route.split(' ');
    const parts = pattern.split('/');
    return (
      ofMethod === method &&
      parts.length === names.length &&
      parts.every((part, at) => part.startsWith(':') || part === names[at])
    );
  });
  return found.some((route) => rights[route]?.includes(role) === true);
}
