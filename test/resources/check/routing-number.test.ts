import { describe, expect, it } from 'vitest';
import { checkRoutingNumber } from '../../../src/resources/check/routing-number.ts';
import { summarise } from './verdicts.ts';

describe('checkRoutingNumber', () => {
  it.each([
    '021000021',
    '011401533',
    '121000358',
    '111000025',
    '026009593',
    '322271627',
    '031176110',
    '110000000',
    '091000019',
    '000000518',
  ])('accepts %s', (number) => {
    expect(checkRoutingNumber(number)).toBe(number);
  });

  it.each([
    ['000000000', 'zeros'],
    ['021000022', 'checksum'],
    ['021000012', 'checksum'],
    ['123456789', 'checksum'],
    ['21000021', 'nine digits'],
    ['0210000210', 'nine digits'],
    ['02100002A', 'nine digits'],
    ['021-000-021', 'nine digits'],
    ['130000006', 'begins like this'],
    ['500000005', 'begins like this'],
    ['990000001', 'begins like this'],
  ])('refuses %s: %s', (number, why) => {
    expect(checkRoutingNumber(number)).toMatchObject({
      code: 'invalid_routing_number',
      message: expect.stringContaining(why),
    });
  });

  it('finds every exchange of two different neighbours that the checksum can see', () => {
    expect(summarise(checkRoutingNumber('012000021'))).toBe('invalid_routing_number!');
  });
});
