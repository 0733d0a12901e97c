import { type Body, bodyText } from './model.ts';

/** Languages of bodies beside Markdown, which features add: what turns their text into Markdown. Never throws. */
export type BodyFormats = Readonly<Partial<Record<Body['format'], (text: string) => string>>>;

const formats: { [format in Body['format']]?: (text: string) => string } = {};

/** Adds formats to this process. Adding them again changes nothing. */
export function addBodyFormats(added: BodyFormats): void {
  Object.assign(formats, added);
}

/** The Markdown of a body. The text of an unknown format is shown as it is. */
export function markdownText(body: Body): string {
  const text = bodyText(body);
  return formats[body.format]?.(text) ?? text;
}
