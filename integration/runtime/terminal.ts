import { styleText } from 'node:util';
import { type Paint, type PaintStyle, plainPaint } from '../source/diagnostic.ts';

const STYLES = {
  place: 'cyan',
  error: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  info: ['blue', 'bold'],
  hint: 'green',
  quiet: 'gray',
  strong: 'bold',
} as const satisfies Record<PaintStyle, Parameters<typeof styleText>[0]>;

/** Colours where the stream is a terminal that has them and neither NO_COLOR nor the like forbids them. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  // Asked once: a document has thousands of pieces.
  if (styleText('bold', '.', { stream }) === '.') return plainPaint;
  return (style, text) => styleText(STYLES[style], text, { validateStream: false });
}
