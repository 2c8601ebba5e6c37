import { describe, expect, it } from 'vitest';
import { instructionText, safeInstruction } from '../../../src/account/objects/instruction.ts';

describe('the markup of an instruction, made safe', () => {
  it.each([
    ['<p>Pay</p><script>alert(1)</script>', '<p>Pay</p>'],
    ['<style>p { display: none }</style><p style="color:#fff" class="x" id="row-2">Pay</p>', '<p>Pay</p>'],
    ['<p onclick="go()">Pay</p>', '<p>Pay</p>'],
    ['<img src="https://tracker.example/p.gif" onerror="go()">Pay', 'Pay'],
    ['<iframe src="https://tracker.example">inside</iframe>Pay', 'Pay'],
    ['<svg><script>go()</script><text>drawn</text></svg>Pay', 'Pay'],
    ['<form action="https://thief.example"><input name="pin"><button>Send</button></form>', 'Send'],
    ['<link rel="stylesheet" href="https://x.example"><base href="https://x.example">Pay', 'Pay'],
    ['<meta http-equiv="refresh" content="0;url=https://x.example">Pay', 'Pay'],
    ['<!-- <p>hidden</p> --><p>Pay</p>', '<p>Pay</p>'],
    ['<a href="javascript:go()">here</a>', '<span>here</span>'],
    ['<a href="java\tscript:go()">here</a>', '<span>here</span>'],
    ['<a href="data:text/html,x">here</a>', '<span>here</span>'],
    ['<a href="//thief.example">here</a>', '<span>here</span>'],
    ['<a href="/pay">here</a>', '<span>here</span>'],
    ['<a href="#row-3">here</a>', '<span>here</span>'],
    ['<a href="https://pay.example/1" target="_top">here</a>', '<a href="https://pay.example/1">here</a>'],
    ['<a href="tel:*334#">dial</a>', '<a href="tel:*334#">dial</a>'],
    ['one &lt;script&gt; & two', 'one &lt;script&gt; &amp; two'],
    ['321\u202e456 \u200bzero', '321456 zero'],
  ])('%s', (markup, safe) => {
    expect(safeInstruction(markup)).toBe(safe);
  });

  it.each([
    ['</div></article></main><p>Pay', '<p>Pay</p>'],
    ['<ol><li>Dial <b>*334#<li>Pay', null],
    ['<p <p>>Pay', null],
    ['<div'.repeat(200), null],
    ['<!--', ''],
    ['<scr<script>ipt>alert(1)</script>', null],
  ])('broken: %s', (markup, expected) => {
    const safe = safeInstruction(markup);
    if (expected !== null) expect(safe).toBe(expected);
    expect(openElements(safe)).toEqual([]);
    expect(safe).not.toMatch(/<script/i);
  });

  it('deep nesting and a large instruction are taken', () => {
    expect(openElements(safeInstruction(`${'<div>'.repeat(5_000)}Pay`))).toEqual([]);
    expect(safeInstruction(`<p>${'Pay '.repeat(250_000)}</p>`)).toHaveLength(1_000_007);
  });
});

/** The elements that are begun and not ended, or ended and not begun. */
function openElements(markup: string): string[] {
  const open: string[] = [];
  for (const [, slash, tag = ''] of markup.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(?<!\/)>/g)) {
    if (slash === '') open.push(tag);
    else if (open.at(-1) === tag) open.pop();
    else open.push(`/${tag}`);
  }
  return open;
}

describe('an instruction as plain text', () => {
  it.each([
    [
      '<ol><li>Dial <b>*334#</b></li><li>Select <i>Pay bill</i></li></ol>',
      '1. Dial *334#; 2. Select Pay bill',
    ],
    ['<ul><li>one</li><li>two</li></ul>', 'one; two'],
    ['<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>', '1. a; b; 2. c'],
    ['first<br>second\nline', 'first; second line'],
    ['<p>Pay at <a href="https://pay.example/1">our page</a></p>', 'Pay at our page (https://pay.example/1)'],
    ['<a href="https://pay.example">https://pay.example</a>', 'https://pay.example'],
    ['<table><tr><th>Bill</th><td>400200</td></tr></table>', 'Bill 400200'],
    ['2 &lt; 3 &amp;lt; &quot;x&quot; &eacute;', '2 < 3 &lt; "x" é'],
    ['=1+1', '=1+1'],
    ['<script>x</script>', ''],
    ['', ''],
  ])('%s', (markup, text) => {
    expect(instructionText(markup)).toBe(text);
  });
});
