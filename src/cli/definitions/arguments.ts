/* The arguments that several commands have. */

import type { ArgumentDefinition } from '../command/command.ts';

/** The argument that names a batch. */
export const batch: ArgumentDefinition = {
  name: 'batch',
  description: 'A batch id, or 4 or more of its first characters',
};

export const files: ArgumentDefinition = {
  name: 'file',
  description: 'Paths; - is standard input',
  isRequired: true,
  isList: true,
};
