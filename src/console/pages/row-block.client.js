/*
 * Blocks of cells as spreadsheet programs copy them: lines of cells with tabulators between them. A cell with a line break,
 * a tabulator or quotes stands in quotes. Everything is text, formulas too.
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

  const quoted = (text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  const write = (lines) => lines.map((cells) => cells.map(quoted).join('\t')).join('\r\n');

  globalThis.tableBlocks = { read, write };
})();
