import { type Language, LOCALES } from './languages.ts';

/** The zones of the shore from the top down, with their bounds in metres above chart datum. */
export const ZONES = [
  { id: 'above', from: 8, to: 80 },
  { id: 'splash', from: 5.5, to: 8 },
  { id: 'upper', from: 4, to: 5.5 },
  { id: 'middle', from: 2, to: 4 },
  { id: 'lower', from: 0, to: 2 },
  { id: 'below', from: -6, to: 0 },
] as const;

/** `+3.1 m`, or `+3,1 m`, with a true minus sign below zero. */
export function heightLabel(height: string, lang: Language): string {
  const metres = Number(height);
  const sign = metres > 0 ? '+' : metres < 0 ? '\u2212' : '';
  return `${sign}${metreFormat(lang).format(Math.abs(metres))} m`;
}

const metreFormat = (lang: Language) =>
  new Intl.NumberFormat(LOCALES[lang], { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** How far down the shore a height lies, from 0 (top of the first zone) to 1 (foot of the last), zones drawn equally tall. */
export function depthFraction(height: string): number {
  const metres = Number(height);
  const index = ZONES.findIndex(({ from }) => metres >= from);
  const zone = ZONES[index];
  if (zone === undefined) return 1;
  const within = Math.min(1, Math.max(0, (zone.to - metres) / (zone.to - zone.from)));
  return (index + within) / ZONES.length;
}
