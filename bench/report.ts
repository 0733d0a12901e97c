/** Times of one question at one size. */
export interface Timing {
  readonly size: number;
  readonly question: string;
  /** Mean number of matches. */
  readonly count: number;
  /** Milliseconds of one query by peer; the first is ours. */
  readonly times: ReadonlyMap<string, number>;
}

/** Milliseconds of one unprepared query. */
export interface RequestTiming {
  readonly question: string;
  readonly parsing: number;
  readonly whole: number;
}

/** The targets of the project. */
const REQUIRED = { sqlite: 10, libraries: 30 };

/** Our time in microseconds, the time of every peer, and its ratio to ours. */
export function printTable(size: number, timings: readonly Timing[]): void {
  const peers = [...(timings[0]?.times.keys() ?? [])].slice(1);
  const header = ['question', 'matches', 'ours', ...peers];
  const lines = timings.map((timing) => [
    timing.question,
    String(timing.count),
    duration(ourTime(timing)),
    ...peers.map((peer) => `${duration(timing.times.get(peer) ?? 0)} ${factor(ratio(timing, peer))}`),
  ]);
  const means = peers.map((peer) => factor(geometricMean(timings.map((timing) => ratio(timing, peer)))));
  console.log(`\nQueries over ${size} articles, median time (peers: time, times ours)`);
  console.log(table([header, ...lines, ['geometric mean', '', '', ...means]]));
}

export function printRequests(timings: readonly RequestTiming[]): void {
  console.log('\nUnprepared requests: parsing the query string, and from the string to ids and count');
  const lines = timings.map(({ question, parsing, whole }) => [question, duration(parsing), duration(whole)]);
  console.log(table([['question', 'parsing', 'whole'], ...lines]));
}

export function printRequirements(timings: readonly Timing[]): void {
  const mean = (peer: string) => geometricMean(timings.map((timing) => ratio(timing, peer)));
  const slowest = timings.toSorted((a, b) => ratio(a, 'SQLite') - ratio(b, 'SQLite'))[0];
  const least = slowest ? ratio(slowest, 'SQLite') : 0;
  const where = slowest ? `${slowest.question} at ${slowest.size}` : '';
  const rows: readonly (readonly [string, number, number])[] = [
    [
      `at least ${REQUIRED.sqlite} times faster than SQLite (geometric mean)`,
      mean('SQLite'),
      REQUIRED.sqlite,
    ],
    [`never slower than SQLite (least: ${where})`, least, 1],
    ...['LokiJS', 'sift', 'mingo'].map((peer): readonly [string, number, number] => {
      return [
        `at least ${REQUIRED.libraries} times faster than ${peer} (geometric mean)`,
        mean(peer),
        REQUIRED.libraries,
      ];
    }),
  ];
  console.log('\nRequired');
  console.log(table(rows.map(([text, got, need]) => [got >= need ? 'met' : 'NOT MET', text, factor(got)])));
}

function ourTime(timing: Timing): number {
  return timing.times.values().next().value ?? 0;
}

function ratio(timing: Timing, peer: string): number {
  return (timing.times.get(peer) ?? 0) / ourTime(timing);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function duration(milliseconds: number): string {
  return milliseconds < 1
    ? `${(milliseconds * 1000).toPrecision(3)} µs`
    : `${milliseconds.toPrecision(3)} ms`;
}

function factor(value: number): string {
  return `×${value < 10 ? value.toFixed(2) : value.toFixed(0)}`;
}

export function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
