import { describe, expect, it } from 'vitest';
import { canonicalOrigin, isLoopbackAddress, isLoopbackUrl } from '../../../src/domain/machine/addresses.ts';

describe('an address of this machine', () => {
  it.each([
    'http://localhost',
    'http://LOCALHOST:4010/api',
    'http://127.0.0.1:4010',
    'http://127.8.9.10',
    'http://127.1',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://127.0.0.1.',
    'http://[::1]:80',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://user:secret@127.0.0.1',
  ])('is %s', (address) => {
    expect(isLoopbackUrl(new URL(address))).toBe(true);
  });
});

describe('an address that may be somebody else’s', () => {
  it.each([
    'http://127.attacker.example',
    'http://127.0.0.1.attacker.example',
    'http://localhost.attacker.example',
    'http://localhost.',
    'http://api.localhost',
    'http://127.0.0.1@attacker.example',
    'http://localhost:80@attacker.example',
    'http://attacker.example/127.0.0.1',
    'http://attacker.example#127.0.0.1',
    'http://128.0.0.1',
    'http://1.0.0.127',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://[::]',
    'http://[::2]',
    'http://[::ffff:10.0.0.1]',
    'http://[fe80::1]',
    'http://[64:ff9b::7f00:1]',
  ])('is %s', (address) => {
    expect(isLoopbackUrl(new URL(address))).toBe(false);
  });

  it.each(['', 'localhost', '127.1', 'x'])('no name is an address: %j', (text) => {
    expect(isLoopbackAddress(text)).toBe(false);
  });
});

describe('an address in its one form', () => {
  it.each([
    ['http://127.0.0.1:4010', 'http://localhost:4010'],
    ['http://[::1]:4010/', 'http://localhost:4010'],
    ['http://LocalHost.:4010', 'http://localhost:4010'],
    ['https://API.Example.COM', 'https://api.example.com'],
    ['https://api.example.com.', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com./pay/', 'https://api.example.com/pay'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['local-sandbox:8644d525', 'local-sandbox:8644d525'],
    ['no address', 'no address'],
  ])('%s is %s', (address, form) => {
    expect(canonicalOrigin(address)).toBe(form);
    expect(canonicalOrigin(form)).toBe(form);
  });
});
