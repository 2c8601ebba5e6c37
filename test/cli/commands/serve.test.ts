/* What `serve` says about signing in: only what helps. */

import { expect, it } from 'vitest';
import { signingIn } from '../../../src/cli/commands/serve.ts';

const user = { name: 'mo', role: 'maker', state: 'active', passwordSince: null } as const;
const told = 'People sign in with their name and password, and nobody has a password yet:';

it('suggests to add a user only where there is none who could sign in', () => {
  const first = ['  paybatch user add NAME --role admin', '  paybatch user invite NAME'];
  expect(signingIn([])).toEqual([told, ...first]);
  expect(signingIn([{ ...user, state: 'locked', passwordSince: '2026-11-20T10:00:00.000Z' }])).toEqual([
    told,
    ...first,
  ]);
});

it('suggests a link for a user who is there, for an admin first', () => {
  expect(signingIn([user])).toEqual([told, '  paybatch user invite mo']);
  expect(signingIn([user, { ...user, name: 'root', role: 'admin' }])).toEqual([
    told,
    '  paybatch user invite root',
  ]);
});

it('suggests nothing where somebody has a password', () => {
  const users = [user, { ...user, name: 'ada', passwordSince: '2026-11-20T10:00:00.000Z' }];
  expect(signingIn(users)).toEqual(['People sign in with their name and password.']);
});
