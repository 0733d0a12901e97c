import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { explorerPage } from '../../../integration/explorer/page.ts';

const SOURCES = path.resolve(import.meta.dirname, '../../../integration/explorer');
const compiled = mkdtempSync(path.join(tmpdir(), 'explorer-page-'));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

/** The text of the elements of a tag, in order. */
function texts(html: string, tag: string): readonly string[] {
  return [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

describe('the explorer page', () => {
  const html = explorerPage({ base: '/docs', mode: 'server' });
  const [config = '', script = ''] = texts(html, 'script');

  test('carries its configuration', () => {
    expect(JSON.parse(config)).toEqual({ base: '/docs', mode: 'server' });
  });
  test('carries a whole script that imports nothing', () => {
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/^\s*(?:import|export)\b/m);
    expect(script).toContain('jsonapi-explorer/schema.json');
  });
  test('allows its own style and script, its own origin, and nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toContain(`script-src ${digest(script)};`);
    expect(policy).toContain(`style-src ${digest(texts(html, 'style')[0] ?? '')};`);
    expect(policy).toContain("default-src 'none'; ");
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
  test('never reads data as HTML', () => {
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/,
    );
  });
  test('keeps a base from ending the element that carries it', () => {
    const odd = explorerPage({ base: '/</script><b>', mode: 'static' });
    expect(texts(odd, 'script')).toHaveLength(2);
    expect(JSON.parse(texts(odd, 'script')[0] ?? '')).toEqual({ base: '/</script><b>', mode: 'static' });
    expect(odd).not.toContain('<b>');
  });
});

test('the compiled package makes the same page as the sources, types apart', async () => {
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const { outputText } = ts.transpileModule(readFileSync(path.join(SOURCES, file), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    const target = path.join(compiled, file.replace(/\.ts$/, '.js'));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
  writeFileSync(path.join(compiled, 'package.json'), '{"type":"module"}');
  const page: unknown = await import(pathToFileURL(path.join(compiled, 'page.js')).href);
  if (!isPageModule(page)) throw new Error('page.js exports no explorerPage.');
  const [, script = ''] = texts(page.explorerPage({ base: '', mode: 'server' }), 'script');
  const [, source = ''] = texts(explorerPage({ base: '', mode: 'server' }), 'script');
  expect(tokens(script) === tokens(source)).toBe(true);
});

function isPageModule(module: unknown): module is { explorerPage: typeof explorerPage } {
  return typeof module === 'object' && module !== null && 'explorerPage' in module;
}

/** Printed by one printer, so that only what the script does is compared. */
function tokens(script: string): string {
  const options = { compilerOptions: { removeComments: true, target: ts.ScriptTarget.ES2023 } };
  return ts
    .transpileModule(script, options)
    .outputText.replace(/\s+/g, '')
    .replace(/,(?=[}\])])/g, '')
    .replace(/["']/g, "'");
}
