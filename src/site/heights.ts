/** The zones of the shore from the top down, with their bounds in metres above chart datum. */
export const ZONES = [
  {
    id: 'above',
    name: 'Above the tide',
    from: 8,
    to: 80,
    note: 'Dry, with a view. Lamps, brass and weather.',
  },
  {
    id: 'splash',
    name: 'Splash zone',
    from: 5.5,
    to: 8,
    note: 'Wet only when it is rough. Shingle, rope, letters.',
  },
  {
    id: 'upper',
    name: 'Upper shore',
    from: 4,
    to: 5.5,
    note: 'Under water for an hour or two around high tide.',
  },
  { id: 'middle', name: 'Middle shore', from: 2, to: 4, note: 'Half its life a beach, half a sea floor.' },
  {
    id: 'lower',
    name: 'Lower shore',
    from: 0,
    to: 2,
    note: 'Uncovered on a good spring tide, and worth the alarm clock.',
  },
  {
    id: 'below',
    name: 'Below the tide',
    from: -6,
    to: 0,
    note: 'Bring a mask, or wait for a gale to bring it to you.',
  },
] as const;

/** `+3.1 m`, with a true minus sign below zero. */
export function heightLabel(height: string): string {
  const metres = Number(height);
  const sign = metres > 0 ? '+' : metres < 0 ? '\u2212' : '';
  return `${sign}${Math.abs(metres).toFixed(1)} m`;
}

/** How far down the shore a height lies, from 0 (top of the first zone) to 1 (foot of the last), zones drawn equally tall. */
export function depthFraction(height: string): number {
  const metres = Number(height);
  const index = ZONES.findIndex(({ from }) => metres >= from);
  const zone = ZONES[index];
  if (zone === undefined) return 1;
  const within = Math.min(1, Math.max(0, (zone.to - metres) / (zone.to - zone.from)));
  return (index + within) / ZONES.length;
}
