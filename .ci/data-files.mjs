// Data (`.json`), styles (`.css`) and scripts of pages (`.client.js`) are files beside the modules that read them. The
// built program reads none of them: here their text replaces the call that reads them, so that the program opens no
// further files when it starts, and the package needs none. Without arguments, this does so in the library, which the
// compiler has written to `dist`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const reading =
  /readFileSync\(\s*new URL\('(\.\/[\w-]+\.(?:json|css|client\.js))', import\.meta\.url\),\s*'utf8',?\s*\)/g;
const notFound = /new URL\([^)]*\.(?:json|css|client\.js)['"`]\s*,\s*import\.meta\.url\)/;

/**
 * The code of a module with the text of the data files that it reads.
 * @param source path of the module's source; the names of data files are relative to its folder
 */
export function withDataFiles(code, source) {
  const filled = code.replaceAll(reading, (_, name) => {
    const text = readFileSync(join(dirname(source), name), 'utf8');
    return JSON.stringify(name.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text);
  });
  if (notFound.test(filled))
    throw new Error(`${source} reads a data file in a way that the build does not know`);
  return filled;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of readdirSync(join(root, 'dist/src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js') || /^cli[\\/](?:main\.js|bundle[\\/])/.test(name)) continue;
    const built = join(root, 'dist/src', name);
    const code = readFileSync(built, 'utf8');
    const filled = withDataFiles(code, join(root, 'src', name));
    if (filled !== code) writeFileSync(built, filled);
  }
}
