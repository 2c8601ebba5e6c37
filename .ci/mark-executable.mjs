// The compiler writes plain files; the `bin` entry of package.json has to be executable.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/src/cli/main.js', import.meta.url), 0o755);
