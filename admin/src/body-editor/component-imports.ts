import type { SiteComponent } from '../api/markup.ts';

/** An import at the start of MDX. */
interface Import {
  readonly from: number;
  readonly to: number;
  readonly module: string;
  readonly quote: string;
  readonly hasSemicolon: boolean;
  /** Local names by exported ones. */
  readonly names: ReadonlyMap<string, string>;
  /** The end of the last name between braces. */
  readonly namesEnd: number | undefined;
}

/** The component that a tag of this name stands for; undefined if the text does not import it from the site's components. */
export function componentNamed(
  mdx: string,
  name: string,
  components: readonly SiteComponent[],
): SiteComponent | undefined {
  const imports = importsOf(mdx);
  const imported = components.find((each) => localName(imports, each) === name);
  const isOther = imports.some(({ names }) => [...names.values()].includes(name));
  // A page can give its components to MDX without an import.
  return imported ?? (isOther ? undefined : components.find((each) => each.name === name));
}

/** The name of a component in a text, and the change that imports it if the text does not do so yet. */
export function importComponent(
  mdx: string,
  component: SiteComponent,
): { readonly name: string; readonly change?: { readonly from: number; readonly insert: string } } {
  const imports = importsOf(mdx);
  const present = localName(imports, component);
  if (present !== undefined) return { name: present };
  const taken = imports.flatMap(({ names }) => [...names.values()]);
  let name = component.name;
  for (let count = 2; taken.includes(name); count++) name = `${component.name}${count}`;
  const written = name === component.name ? name : `${component.name} as ${name}`;
  const beside = imports.find((each) => each.module === component.from && each.namesEnd !== undefined);
  if (component.named && beside?.namesEnd !== undefined) {
    return { name, change: { from: beside.namesEnd, insert: `, ${written}` } };
  }
  const { quote, hasSemicolon } = imports.at(-1) ?? { quote: "'", hasSemicolon: true };
  const source = quote + moduleOf(imports, component) + quote + (hasSemicolon ? ';' : '');
  const line = `import ${component.named ? `{ ${written} }` : name} from ${source}`;
  const last = imports.at(-1);
  return last === undefined
    ? { name, change: { from: 0, insert: mdx.trim() === '' ? `${line}\n\n` : `${line}\n\n` } }
    : { name, change: { from: last.to, insert: `\n${line}` } };
}

const FOLDER = 'components/';
const IMPORT =
  /import[ \t]+(?:([\w$]+)[ \t]*,?[ \t]*)?(?:\{([^{}]*)\}[ \t\n]*)?from[ \t]*(["'])([^"'\n]+)\3[ \t]*(;?)/y;

/** The imports before the first other line. */
function importsOf(mdx: string): readonly Import[] {
  const imports: Import[] = [];
  for (let at = 0; at < mdx.length; ) {
    IMPORT.lastIndex = at;
    const match = IMPORT.exec(mdx);
    const end = mdx.indexOf('\n', match === null ? at : IMPORT.lastIndex);
    if (match !== null) imports.push(importOf(match, at));
    else if (mdx.slice(at, end === -1 ? undefined : end).trim() !== '') break;
    if (end === -1) break;
    at = end + 1;
  }
  return imports;
}

function importOf(
  [whole, standard, braces, quote = "'", module = '', semicolon]: RegExpExecArray,
  from: number,
): Import {
  const names = new Map<string, string>();
  if (standard !== undefined) names.set('default', standard);
  for (const part of braces?.split(',') ?? []) {
    const [exported = '', local = exported] = part.trim().split(/\s+as\s+/);
    if (exported !== '') names.set(exported, local);
  }
  const opening = from + whole.indexOf('{') + 1;
  return {
    from,
    to: from + whole.length,
    module,
    quote,
    hasSemicolon: semicolon === ';',
    names,
    namesEnd: braces === undefined ? undefined : opening + braces.trimEnd().replace(/,$/, '').length,
  };
}

function localName(imports: readonly Import[], component: SiteComponent): string | undefined {
  for (const { module, names } of imports) {
    const isSame = module === component.from || (!component.named && module.endsWith(pathOf(component)));
    const name = isSame ? names.get(component.named ? component.name : 'default') : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** `components/charts/Bar.astro`, with which relative addresses and those with an alias end. */
function pathOf({ from }: SiteComponent): string {
  return from.slice(from.indexOf(FOLDER));
}

/** The module as the other imports write theirs, such as `../../src/components/Bar.astro`; else its path from the root. */
function moduleOf(imports: readonly Import[], component: SiteComponent): string {
  if (component.named) return component.from;
  const other = imports.find(({ module }) => module.includes(FOLDER) && module.endsWith('.astro'));
  return other === undefined
    ? component.from
    : other.module.slice(0, other.module.indexOf(FOLDER)) + pathOf(component);
}
