import { fileURLToPath } from 'node:url';

/** The built program, which is beside the built benchmark. */
export const programPath = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
