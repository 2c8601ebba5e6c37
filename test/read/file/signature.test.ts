import { afterEach, describe, expect, it } from 'vitest';
import { mayBeUnfinished, seenFile, signatureOf } from '../../../src/read/file/signature.ts';
import { removeTemporaryFiles, temporaryFile } from '../reading.ts';

afterEach(removeTemporaryFiles);

const message = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n';

describe('the format of a file', () => {
  it.each([
    ['<html>', 'html'],
    ['\n <TABLE border=1>', 'html'],
    ['\uFEFF<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">', 'html'],
    ['<?xml version="1.0"?>\n<!-- x -->\n<html xmlns="http://www.w3.org/1999/xhtml">', 'html'],
    [message, 'mht'],
    [
      'From: <Saved by a browser>\r\nSubject: list\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n',
      'mht',
    ],
    ['<?xml version="1.0"?><Workbook>', 'text'],
    ['<!DOCTYPE x [<!ENTITY a "b">]>', 'text'],
    ['a,<html>\n', 'text'],
    ['<b>Name</b>,Amount\n', 'text'],
    ['<script>alert(1)</script>,b\n1,2\n', 'text'],
    ['<!-- a title -->,b\n1,2\n', 'text'],
    ['<center><h3>The list</h3></center>\n<table border=1>\n<tr>', 'html'],
    ['From: To:,Amount\nx,MIME-Version: 1.0\n', 'text'],
    ['', 'text'],
  ])('that begins with %j is %s', (start, format) => {
    expect(signatureOf(Buffer.from(start))).toBe(format);
    expect(signatureOf(Buffer.from(start, 'utf16le'))).toBe(format);
  });
});

describe('a file may be unfinished', () => {
  it.each([
    ['<html><table><tr><td>a</td></tr></table></html>', false],
    ['<table><tr><td>a</td></tr></table>\r\n', false],
    ['<table><tr><td>a</td></tr>\n', true],
    [`${message}--b\r\n\r\n<table></table>\r\n--b--\r\n`, false],
    [`${message}--b\r\n\r\n<table></table>\r\n`, true],
    ['a,b\n1,2\n', false],
    ['a,b\n1,2', true],
  ])('where it is %j: %s', async (content, isUnfinished) => {
    const path = temporaryFile('list.xls', content);
    const seen = await seenFile(path);
    if (seen === null) throw new Error('no file');
    expect(await mayBeUnfinished(path, seen)).toBe(isUnfinished);
  });
});
