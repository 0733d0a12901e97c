import { decodeUri } from '../../integration/core/util/text.ts';

/**
 * The screens and their addresses below `/admin`. `:name` is one segment, and `*name` at the end is all that follows: an
 * id may contain slashes. `App.svelte` has the component of each screen.
 */
const PATTERNS = {
  home: '/',
  content: '/content',
  create: '/new/:entityType/:bundle',
  edit: '/edit/:entityType/:bundle/*id',
  draft: '/draft/:entityType/:bundle/*id',
  faulty: '/file/*file',
  history: '/history/:entityType/:bundle/*id',
  translate: '/translate/:entityType/:bundle/*id',
  media: '/media',
  redirects: '/redirects',
  bin: '/bin',
  menus: '/menus',
  menu: '/menus/:entityType/:bundle',
  single: '/single/:entityType/:bundle',
  conflicts: '/conflicts',
  people: '/people',
  audit: '/people/audit',
  profile: '/profile',
  explorer: '/explorer',
} as const;

export type ScreenName = keyof typeof PATTERNS;
export type Parameters = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, string | undefined>>;

interface Match {
  readonly screen: ScreenName;
  readonly parameters: Parameters;
}

/** The address of a screen below `/admin`, with a query. Empty query parameters are left out. */
export function addressOf(screen: ScreenName, parameters: Parameters = {}, query: Query = {}): string {
  const path = PATTERNS[screen].replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = parameters[name] ?? '';
    return kind === ':' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
  const used = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const search = new URLSearchParams(used).toString();
  return (path === '/' ? '' : path) + (search === '' ? '' : `?${search}`);
}

/** The screen at a path below `/admin`; undefined without one. */
export function matchAddress(path: string): Match | undefined {
  const segments = segmentsOf(path).map(decodeUri);
  for (const [screen, pattern] of Object.entries(PATTERNS) as [ScreenName, string][]) {
    const parameters = matchSegments(segmentsOf(pattern), segments);
    if (parameters !== undefined) return { screen, parameters };
  }
  return undefined;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Parameters | undefined {
  const parameters: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at];
    if (segment === undefined) return undefined;
    if (part.startsWith('*')) {
      parameters[part.slice(1)] = segments.slice(at).join('/');
      return parameters;
    }
    if (part.startsWith(':')) parameters[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return segments.length === pattern.length ? parameters : undefined;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter(Boolean);
}
