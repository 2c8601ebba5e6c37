import { expect, it } from 'vitest';
import { proxyIn } from '../../../src/job/access/proxy.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  [{}, undefined],
  [{ HTTPS_PROXY: ' ' }, undefined],
  [{ HTTP_PROXY: 'http://proxy.example:3128' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, ['http://proxy.example:3128/', null, '']],
  [
    {
      HTTPS_PROXY: 'http://upper.example',
      https_proxy: 'https://lower.example',
      NO_PROXY: 'a',
      no_proxy: 'b',
    },
    ['https://lower.example/', null, 'b'],
  ],
  [{ HTTPS_PROXY: 'http://me:p%40ss@proxy.example' }, ['http://proxy.example/', basic('me:p@ss'), '']],
  [{ HTTPS_PROXY: 'http://token@proxy.example' }, ['http://proxy.example/', basic('token:'), '']],
] as const)('the proxy of %j', (environment, expected) => {
  const proxy = proxyIn(environment);
  const found = proxy === undefined ? undefined : [proxy.address.href, proxy.authorization, proxy.noProxy];
  expect(found).toEqual(expected);
});

it.each([
  'proxy.example:3128',
  'socks5://proxy.example',
  'me:secret@proxy.example',
  'http://me:%zz@proxy.example',
])('is refused without its value: %s', (value) => {
  expect(() => proxyIn({ HTTPS_PROXY: value })).toThrow(
    expect.objectContaining({ exitCode: 2, message: 'HTTPS_PROXY is no http or https address of a proxy.' }),
  );
});
