import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unsafeParts } from '../../integration/core/write/html/safe-html.ts';
import { runs } from '../oracle/runs.ts';

const FRAME = '<iframe src="https://example.com/map"></iframe>';
const SCRIPT = '<script>trusted()</script>';

describe('HTML that is stored already', () => {
  it.each([
    ['stays when text is added', `<p>a</p>${FRAME}`, `<p>b</p>${FRAME}<p>c</p>`],
    ['can be removed', `${FRAME}${SCRIPT}<p>a</p>`, `<p>a</p>${SCRIPT}`],
    ['stays as often as it is there', `${FRAME}${FRAME}`, `${FRAME}<p>between</p>${FRAME}`],
    ['can have mistakes', '<p>a</p></th>', '<p>a</p></th><p>b</p>'],
    [
      'can have an unusual style',
      '<p style="position: fixed">a</p>',
      '<p style="position: fixed">a</p><p>b</p>',
    ],
    ['can be in an unclosed element', '<details>a', '<details>a<p>b</p>'],
  ])('%s', (_, stored, html) => {
    expect(unsafeParts(html)).not.toEqual([]);
    expect(unsafeParts(html, stored)).toEqual([]);
  });

  it.each([
    ['is repeated', FRAME, FRAME + FRAME],
    ['gets another address', FRAME, FRAME.replace('map', 'x')],
    ['gets another script', SCRIPT, '<script>trusted();evil()</script>'],
    ['was text', '<p>&lt;script&gt;trusted()&lt;/script&gt;</p>', SCRIPT],
    ['was in a comment', `<!-- ${SCRIPT} -->`, SCRIPT],
    ['was in an attribute', `<p title="${SCRIPT}">a</p>`, SCRIPT],
    ['was in a template', `<template>${SCRIPT}</template>`, SCRIPT],
    ['was in a noscript', `<noscript>${FRAME}</noscript>`, FRAME],
    ['was in an SVG', `<svg>${SCRIPT}</svg>`, SCRIPT],
    ['was in a hidden element', `<div style="display: none">${FRAME}</div>`, FRAME],
    ['was in a safe element with a class', `<div class="hidden">${FRAME}</div>`, FRAME],
    ['gets another element around it', FRAME, `<div class="fixed inset-0">${FRAME}</div>`],
    [
      'gets other text in an element that runs code',
      '<p onclick="eval(this.textContent)">1</p>',
      '<p onclick="eval(this.textContent)">evil()</p>',
    ],
    ['is continued by an unclosed element', '<p><b onclick="x">a</p>', '<p><b onclick="x">a</p><p>b</p>'],
    [
      'exchanges attributes',
      '<p onclick="a()">1</p><p id="x" onfocus="b()">1</p>',
      '<p onclick="a()" onfocus="b()">1</p>',
    ],
    ['is a misplaced tag with another attribute', '<td onclick="a()">1', '<td onclick="b()">1'],
    ['is a body with another attribute', '<body onload="a()">', '<body onload="b()">'],
    ['swallows what follows', '<p title="', '<p title="<p>b</p>'],
    ['is merged from two parts', '<p>&lt;scr</p><p>ipt>x</p>', '<script>x</script>'],
    ['swallows new text in a raw element', '<style>a{}', '<style>a{}<p>b</p>'],
    ['changes its namespace', '<svg><style>a{}</style></svg>', '<style>a{}</style>'],
    ['is an image token', '<p>__ASTRO_IMAGE_</p>', '<p>__ASTRO_IMAGE_</p>'],
  ])('is refused if it %s', (_, stored, html) => {
    expect(unsafeParts(html, stored)).not.toEqual([]);
  });

  it('lets no random mix of parts through that the stored HTML does not have', () => {
    const pieces = [
      ...[
        SCRIPT,
        FRAME,
        '<p onclick="x()">a</p>',
        '<template>',
        '</template>',
        '<svg>',
        '</svg>',
        '<!--',
        '-->',
      ],
      ...[
        '<p>text</p>',
        '<div class="a">',
        '</div>',
        '<b onclick="x()">',
        '</b>',
        '<table>',
        '<td>',
        '</table>',
      ],
    ];
    const mix = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
    const count = (html: string, part: string) => html.split(part).length - 1;
    fc.assert(
      fc.property(mix, mix, (stored, html) => {
        if (unsafeParts(html, stored)?.length !== 0) return;
        // Text, and so also comments, may have more of them.
        const active = html.replaceAll(/<!--.*?-->/g, '');
        for (const part of ['<script>', '<iframe', '<p onclick', '<b onclick']) {
          expect(count(active, part)).toBeLessThanOrEqual(count(stored, part));
        }
      }),
      runs(3000),
    );
  });
});
