/*
 * Blocks of cells as spreadsheet programs copy them: lines of cells with tabulators between them. A cell with a line break,
 * a tabulator or quotes stands in quotes. Everything is text, formulas too. Of a table of a web page that comes without text,
 * the text of its cells is taken.
 */

(() => {
  const cell = /("(?:[^"]|"")*"(?=[\t\n]|$)|[^\t\n]*)([\t\n]|$)/gy;

  const read = (text) => {
    const lines = [[]];
    const plain = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
    for (const [, value, end] of plain.matchAll(cell)) {
      const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
      lines.at(-1).push(isQuoted ? value.slice(1, -1).replaceAll('""', '"') : value);
      if (end === '') break;
      if (end === '\n') lines.push([]);
    }
    return lines;
  };

  /* Parsed without running or loading anything. A cell over several columns is followed by empty ones. */
  const readHtml = (markup) => {
    const page = new DOMParser().parseFromString(markup, 'text/html');
    const lines = [...(page.querySelector('table')?.rows ?? [])].map((row) =>
      [...row.cells].flatMap(({ textContent, colSpan }) => [
        textContent.replace(/\s+/g, ' ').trim(),
        ...Array(colSpan - 1).fill(''),
      ]),
    );
    return write(lines);
  };

  const quoted = (text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  const write = (lines) => lines.map((cells) => cells.map(quoted).join('\t')).join('\r\n');

  globalThis.tableBlocks = { read, readHtml, write };
})();
