/*
 * The content of data files, which stand as `.json` beside the modules that read them. The build puts their text into these
 * modules (`.ci/data-files.mjs`), so the built program reads no such file, and the package has none.
 */

/**
 * The content of a data file. That it has the form of its type is checked when the tests run, by the file's schema in
 * `test/architecture/data-files.test.ts`; a start does not wait for that.
 */
export function dataOf<Content>(text: string): Content {
  return JSON.parse(text);
}

/** The names of a list as data files have it: separated by semicolons, which keeps a table readable. */
export function namesIn(list: string): readonly string[] {
  return list.split(';').map((name) => name.trim());
}
