import { fileURLToPath } from 'node:url';

/** The built program, which stands beside the built benchmark. */
export const programPath = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
