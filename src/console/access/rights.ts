/*
 * The access rights of the console: every address with the roles that may use it. An unlisted address may not be
 * used.
 */

import type { UserRole } from '../../domain/controls/controls.ts';

/** A user's role; `owner` is the person who started a console without users. */
export type ViewerRole = UserRole | 'owner';

const everybody: readonly ViewerRole[] = ['owner', 'maker', 'approver', 'admin'];
const makers: readonly ViewerRole[] = ['owner', 'maker'];
const approvers: readonly ViewerRole[] = ['approver'];
const admins: readonly ViewerRole[] = ['admin'];

/** Method and path of each protected route, as registered, with the roles that may use it. */
export const rights: Readonly<Record<string, readonly ViewerRole[]>> = {
  'GET /': everybody,
  'POST /leave': everybody,
  'GET /search': everybody,
  'POST /uploads': makers,
  'GET /templates/:name': everybody,
  'GET /uploads/:upload': makers,
  'POST /uploads/:upload/check': makers,
  'POST /uploads/:upload/send': makers,
  'GET /uploads/:upload/mapping': makers,
  'GET /uploads/:upload/mapping/:file': makers,
  'POST /uploads/:upload/mapping/:file': makers,
  'GET /uploads/:upload/mapping/:file/progress': makers,
  'GET /uploads/:upload/mapping/:file/stopped': makers,
  'GET /uploads/:upload/mapping/:file/table': makers,
  'POST /uploads/:upload/mapping/:file/table': makers,
  'POST /uploads/:upload/mapping/:file/dialect': makers,
  'POST /uploads/:upload/mapping/:file/stop': makers,
  'POST /uploads/:upload/mapping/:file/again': makers,
  'GET /calls/:call': everybody,
  'GET /calls/:call/progress': everybody,
  'POST /calls/:call/stop': makers,
  'POST /failed-runs/:run/put-away': makers,
  'GET /batches': everybody,
  'GET /batches/:batch': everybody,
  'POST /batches/:batch/send': makers,
  'POST /batches/:batch/resume': makers,
  'POST /batches/:batch/retry': makers,
  'GET /batches/:batch/agree/:what': makers,
  'GET /batches/:batch/progress': everybody,
  'GET /batches/:batch/files/:name': everybody,
  'GET /batches/:batch/approval': everybody,
  'POST /batches/:batch/approval': approvers,
  'GET /batches/:batch/mapping': makers,
  'GET /batches/:batch/rows': everybody,
  'GET /batches/:batch/rows.csv': everybody,
  'GET /batches/:batch/rows/:row': everybody,
  'POST /batches/:batch/rows/:row/verdict': makers,
  'POST /batches/:batch/rows/:row/edit': makers,
  'POST /batches/:batch/rows/:row/discard': makers,
  'GET /batches/:batch/draft': everybody,
  'POST /batches/:batch/draft': makers,
  'POST /batches/:batch/draft/check': makers,
  'POST /batches/:batch/draft/undo': makers,
  'POST /batches/:batch/draft/plan': makers,
  'POST /batches/:batch/draft/discard': makers,
  'GET /batches/:batch/choices': makers,
  'GET /batches/:batch/edit': makers,
  'POST /batches/:batch/edit': makers,
  'GET /batches/:batch/decide': makers,
  'POST /batches/:batch/decide': makers,
  'GET /batches/:batch/close': makers,
  'POST /batches/:batch/close': makers,
  'GET /batches/:batch/reconcile': makers,
  'POST /batches/:batch/reconcile': makers,
  'GET /batches/:batch/reconcile/:found': everybody,
  'GET /batches/:batch/reconcile/:found/differences.csv': everybody,
  'POST /batches/:batch/reconcile/:found/decide': makers,
  'POST /batches/:batch/reconcile/:found/again/:file': makers,
  'GET /batches/:batch/reconcile/:found/mapping/:file': makers,
  'POST /batches/:batch/reconcile/:found/mapping/:file': makers,
  'GET /batches/:batch/reconcile/:found/mapping/:file/progress': makers,
  'POST /batches/:batch/reconcile/:found/mapping/:file/stop': makers,
  'POST /batches/:batch/reconcile/:found/mapping/:file/again': makers,
  'GET /mappings': everybody,
  'GET /mappings/:mapping': everybody,
  'GET /mappings/:mapping/forget': makers,
  'POST /mappings/:mapping/forget': makers,
  'GET /institutions': everybody,
  'GET /institutions/:country': everybody,
  'GET /institutions/:country/progress': everybody,
  'GET /doctor': everybody,
  'GET /doctor/progress': everybody,
  'GET /halt': makers,
  'POST /halt': makers,
  'GET /users': admins,
  'POST /users/:name/link': admins,
  'GET /users/:name/lock': admins,
  'POST /users/:name/lock': admins,
};

/** @throws Error for a route that the list does not have */
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
