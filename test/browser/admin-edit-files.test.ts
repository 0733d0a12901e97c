import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { changeBetween, type EditForm, openEditForm } from './edit-form.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const DATA = path.join(import.meta.dirname, 'data');
/** Files of real authors by key. */
const REAL = Object.fromEntries(
  globSync('eip/*.md', { cwd: DATA }).map((key) => [key, readFileSync(path.join(DATA, key), 'utf8')]),
);

/** Unusual bodies, by what makes them unusual. */
const BODIES = {
  windows: 'one\r\n\r\ntwo\r\n',
  mixed: 'one\r\n\ntwo\n\r\nthree\rfour\n',
  returns: 'one\r\rtwo\r',
  spaces: 'one  \n\ttwo\t\n   \n\n\n\tthree   ',
  separators: 'one\u2028two\u2029\nthree\u0085four\u000bfive\n',
  marks: '\ufeffone\ntwo\ufeff\u200bthree\u00a0\u00ad\n',
  emoji: '👩‍👩‍👧 one 🏳️‍🌈\nnai\u0308ve e\u0301\n🇩🇪\n',
  arabic: 'مرحبا one\nשלום two\n',
  rule: '\n---\n\none\n---\n',
  html: '<div>\n\n  <b>one</b>\n</div>\n\n<!-- two -->\n&nbsp;&amp;&#x41;\n',
  code: '```\n\tone  \n\n```\n\n    two\n~~~md\n# x\n',
  escapes: '\\* one \\\n\\[two\\](x)\\\n',
  loose: '* one\n\n\n* two\n1) three\n1) four\n\n| a|b |\n|-|:-:|\n|c  |d|\n',
  line: 'one',
  break: '\n',
  empty: '',
};
const UNUSUAL = Object.fromEntries(
  Object.entries(BODIES).map(([id, body]) => [`article/${id}.md`, `---\ntitle: ${id} # x\n---\n${body}`]),
);
/** Files whose frontmatter is unusual too. */
const FILES = {
  'article/marked.md': '\ufeff---\ntitle: marked\n---\none\n',
  'article/windows-file.md': '---\r\ntitle:   "windows-file"\r\n# x\r\n---\r\n\r\none\r\ntwo',
  'article/unclosed.md': '---\ntitle: unclosed\n---',
};
const BEFORE: Readonly<Record<string, string>> = { ...REAL, ...UNUSUAL, ...FILES };

describeInBrowser('the edit form over files as people write them', async () => {
  const browser = await useBrowser();
  let site: WritableSite;
  let form: EditForm;

  beforeAll(async () => {
    site = await startWritableSite({ content: BEFORE });
    form = await openEditForm(browser, site);
  });

  const open = (key: string) => {
    const [bundle = '', name = ''] = key.split('/');
    return form.open({ entityType: 'node', bundle, id: name.replace('.md', '') });
  };
  async function changes(): Promise<Record<string, unknown>> {
    const changed: Record<string, unknown> = {};
    for (const [key, text] of Object.entries(BEFORE)) {
      const now = await site.read(key);
      if (now === text) continue;
      const { from, to } = changeBetween(text, now);
      // Text typed on a blank line becomes a line of its own.
      changed[key] = { from, to: to.replace(/^\n*( end)\n*$/, '$1') };
    }
    return changed;
  }

  test('saving without an edit sends nothing, and an edit of the text changes only the typed characters', async () => {
    const expected: Record<string, unknown> = {};
    for (const [index, key] of Object.keys(BEFORE).entries()) {
      await open(key);
      await form.saveUnchanged();
      expect(form.writes.length).toBe(index);
      expect(await changes()).toEqual(expected);
      await form.typeInBody(index % 4, ' end');
      await form.save();
      expected[key] = { from: '', to: ' end' };
    }
    expect(await changes()).toEqual(expected);
  });
});
