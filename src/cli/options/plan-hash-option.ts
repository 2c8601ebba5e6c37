import type { Options } from 'yargs';

export const planHashOption: Options = {
  type: 'string',
  requiresArg: true,
  group: 'Sending options:',
  description: 'Send only if it is still what the plan of this hash showed (HASH)',
};
