import { describe, expect, it } from 'vitest';
import { redactorOf } from '../../src/api/exchange.ts';

const apiKey = 'sk_live/7f+3Ab.~9Q"z_end';
const redact = redactorOf(apiKey);

function base64At(offset: number, alphabet: 'base64' | 'base64url'): string {
  return Buffer.from(`${'user:'.slice(0, offset)}${apiKey}:more`).toString(alphabet);
}

/** So much of the key that somebody could try the rest. */
function tells(text: string): boolean {
  const decoded = [text, ...['base64', 'base64url', 'hex'].map((form) => decode(text, form))];
  return decoded.some((each) => each.toLowerCase().includes(apiKey.slice(4, 12).toLowerCase()));
}

function decode(text: string, form: string): string {
  return Buffer.from(text, form === 'hex' ? 'hex' : 'base64').toString('latin1');
}

describe('the API key is taken out', () => {
  it.each([
    ['as it is', apiKey],
    ['behind its scheme', `Bearer ${apiKey}`],
    ['in capitals', apiKey.toUpperCase()],
    ['percent-encoded', encodeURIComponent(apiKey)],
    ['percent-encoded in small letters', encodeURIComponent(apiKey).toLowerCase()],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(apiKey))],
    [
      'percent-encoded to the last character',
      apiKey.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`),
    ],
    ['escaped as in JSON', JSON.stringify(apiKey).slice(1, -1)],
    ['with escaped slashes', JSON.stringify(apiKey).slice(1, -1).replaceAll('/', '\\/')],
    [
      'in JSON’s longest form',
      apiKey.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16).padStart(2, '0')}`),
    ],
    ['escaped as in HTML', apiKey.replace(/\W/g, (c) => `&#${c.charCodeAt(0)};`)],
    [
      'escaped as in HTML, in hexadecimal',
      apiKey.replace(/\W/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`),
    ],
    ['in hexadecimal', Buffer.from(apiKey).toString('hex')],
    ['in Base64', Buffer.from(apiKey).toString('base64')],
    ['in Base64, first of a group', base64At(0, 'base64')],
    ['in Base64, second of a group', base64At(1, 'base64')],
    ['in Base64, third of a group', base64At(2, 'base64')],
    ['in Base64 for URLs', base64At(1, 'base64url')],
  ])('%s', (_, form) => {
    const text = redact(`no access for ${form} at this time`);
    expect(text).toMatch(/^no access for .*\*\*\*.* at this time$/);
    expect(text.split(' ').some(tells)).toBe(false);
  });

  it('every time that it is there', () => {
    expect(redact(`${apiKey} ${apiKey}`)).toBe('*** ***');
  });

  it('and JSON stays JSON', () => {
    const json = JSON.stringify({ error: `bad key ${apiKey}`, id: apiKey });
    expect(JSON.parse(redact(json))).toEqual({ error: 'bad key ***', id: '***' });
  });
});

describe('what is not the API key stays', () => {
  it('as it is', () => {
    const text = '{"data":{"id":"9a1d4c70-6e2f-4b8a-8f15-2c7e9b3a6d01"},"error":null}';
    expect(redact(text)).toBe(text);
  });
});
