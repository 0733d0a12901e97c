import { decodeHTML } from 'entities/decode';
import { markdownText } from '../../content/markdown-text.ts';
import type { Entity, FieldDefinition, FieldValue } from '../../content/model.ts';
import { partsOf, type SearchableField } from './searchable.ts';
import { splitWords } from './words.ts';

/** The text of one field, one line per value. */
export function searchableText(entity: Entity, { name, definition }: SearchableField): string {
  if (definition.kind === 'formatted_text') {
    const { body } = entity;
    return body === null ? '' : `${body.summary ?? ''}\n${visibleText(markdownText(body))}`;
  }
  const texts: string[] = [];
  collect(entity.values[name], definition, texts);
  return texts.join('\n');
}

/** The words of headings in the text of a field, as often as they count in addition to others. */
export function headingWords(text: string, { definition }: SearchableField): readonly string[] {
  if (definition.kind !== 'formatted_text') return [];
  const words = Array.from(text.matchAll(HEADING), ([, heading = '']) => splitWords(heading)).flat();
  return Array.from({ length: HEADING_COUNT }, () => words).flat();
}

function collect(value: FieldValue | undefined, field: FieldDefinition, texts: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, texts);
  } else if (typeof value === 'string') {
    if (field.kind === 'string') texts.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of partsOf(field.kind, field.properties)) {
      if (Object.hasOwn(value, part.name)) collect(Reflect.get(value, part.name), part, texts);
    }
  }
}

/** The text that a reader sees. Fenced code stays as it is. */
function visibleText(markdown: string): string {
  const parts = splitFences(MAY_HIDE.test(markdown) ? withoutHidden(markdown) : markdown);
  return parts.map(({ text, isCode }) => (isCode ? text : text.replace(MARKUP, visiblePart))).join('\n');
}

/** Fenced code, and what is between. Joined with line breaks, the parts are the text. */
function splitFences(markdown: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  const parts: { readonly lines: string[]; readonly isCode: boolean }[] = [];
  let fence = '';
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    const isCode = fence !== '' || mark !== '';
    if (parts.at(-1)?.isCode !== isCode) parts.push({ lines: [], isCode });
    parts.at(-1)!.lines.push(line);
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
  }
  return parts.map(({ lines, isCode }) => ({ text: lines.join('\n'), isCode }));
}

/** Without comments and elements that readers do not see. What has no end hides nothing. */
function withoutHidden(markdown: string): string {
  let from = 0;
  const tags = splitFences(markdown).flatMap((part) => {
    const found = part.isCode ? [] : [...part.text.matchAll(TAG)];
    const start = from;
    from += part.text.length + 1;
    return found.flatMap(({ 0: tag, 2: name = '', index }) =>
      tag.startsWith('`') || tag.endsWith('/>')
        ? []
        : [{ tag, name: name.toLowerCase(), index: start + index }],
    );
  });
  /** The last end tag of each name. */
  const ends = new Map(tags.filter(({ tag }) => isEnd(tag)).map(({ name, index }) => [name, index]));
  let text = '';
  let shown = 0;
  let hiding = '';
  let depth = 0;
  for (const { tag, name, index } of tags) {
    if (depth === 0 && !isEnd(tag) && HIDES.test(tag) && (ends.get(name) ?? 0) > index) {
      text += markdown.slice(shown, index);
      hiding = name;
      depth = 1;
    } else if (depth > 0 && name === hiding) {
      if (isEnd(tag)) depth--;
      else if (name !== '') depth++;
    } else if (depth === 0) continue;
    shown = index + tag.length;
  }
  return text + markdown.slice(shown);
}

function isEnd(tag: string): boolean {
  return tag.startsWith('</') || tag === '-->';
}

/** Marks and tags within a word do not split it. */
function visiblePart(part: string, _ticks: string | undefined, code: string | undefined): string {
  if (code !== undefined) return ` ${code} `;
  if (part.startsWith('&')) return decodeHTML(part);
  return part.startsWith('*') || WITHIN_WORDS.test(part) ? '' : ' ';
}

const HEADING_COUNT = 4;
/** In code, most lines that begin with a single `#` are comments. */
const HEADING = /^#{2,6} +(.+)$/gm;
const FENCE = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
/** Code, the target of a link, a definition of one, a tag, an entity, and marks of emphasis. */
const MARKUP =
  /(?<!`)(`+)([^`]+)\1(?!`)|\]\([^()\n]*\)|^ {0,3}\[(?!\^)[^\]\n]+\]:.*$|<[/!a-z][^<>]*>|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});|\*+/gim;
const WITHIN_WORDS =
  /^<\/?(?:a|abbr|b|bdi|bdo|code|em|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u|wbr)\b/i;
const MAY_HIDE = /<!--|<script|<style|<template|hidden|display/i;
/** Code, the start and end of a comment, which has no name, and a tag. */
const TAG = /(?<!`)(`+)[^`]+\1(?!`)|<!--(?:-?>)?|-->|(?<!\\)<\/?([a-z][\w-]*(?![\w-]))[^<>]*>/gi;
/** The start of a comment or of an element whose text is not shown. */
const HIDES =
  /^<(?:!--$|(?:script|style|template)[\s>]|[a-z][\w-]*(?:\s+[^\s"'<>=]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))?)*?\s+(?:hidden(?:=(?:["']["']|["']?hidden["']?))?(?=[\s>])|style=(?:"(?:[^"]*[\s;])?|'(?:[^']*[\s;])?)?display\s*:\s*none\b))/i;
