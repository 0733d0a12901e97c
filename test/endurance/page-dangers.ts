import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;

/**
 * What the HTML of a body could do in a page: elements, attributes and URLs that run, and damage to the page around it.
 * It shares no code with the check that the server makes: it parses whole pages and reads the attributes as they are.
 */
export function pageDangers(html: string): readonly string[] {
  const dangers = new Set<string>();
  for (const { before, after } of PAGES) {
    const document = parse(before + html + after, { scriptingEnabled: true });
    let hasEnd = false;
    const nodes: DefaultTreeAdapterTypes.Node[] = [document];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if ('tagName' in node) {
        if (OWN_IDS.has(idOf(node))) {
          hasEnd ||= idOf(node) === 'page-end' && pathOf(node) === PATH_OF_END;
        } else {
          for (const danger of dangersOf(node)) dangers.add(danger);
        }
      }
      if ('content' in node) nodes.push(node.content);
      if ('childNodes' in node) nodes.push(...node.childNodes);
    }
    if (!hasEnd) dangers.add(`the page around it: ${before}`);
  }
  return [...dangers];
}

const START =
  '<!doctype html><html id=page-html><head id=page-head></head><body id=page-body><div id=page-around>';
const END = '<hr id=page-end></div></body></html>';
const PATH_OF_END = 'page-html page-body page-around';
export const PAGES = [
  { before: `${START}<main id=page-main><article id=page-1>`, after: `</article></main>${END}` },
  {
    before: `${START}<table id=page-1><tbody id=page-2><tr id=page-3><td id=page-4>`,
    after: `</td></tr></tbody></table>${END}`,
  },
  {
    before: `${START}<section id=page-1><div id=page-2><div id=page-3>`,
    after: `</div></div></section>${END}`,
  },
] as const;
const OWN_IDS: ReadonlySet<string> = new Set([
  ...['page-html', 'page-head', 'page-body', 'page-around', 'page-main', 'page-end'],
  ...['page-1', 'page-2', 'page-3', 'page-4'],
]);

/** The id of an element that has nothing else: a body could add an attribute to the page's own elements. */
function idOf({ attrs }: Element): string {
  return attrs.length === 1 && attrs[0]?.name === 'id' ? attrs[0].value : '';
}

function pathOf(element: Element): string {
  const ids: string[] = [];
  for (let node = element.parentNode; node !== null && 'tagName' in node; node = node.parentNode)
    ids.unshift(idOf(node));
  return ids.join(' ');
}

function dangersOf({ tagName, attrs }: Element): readonly string[] {
  if (!INERT.has(tagName)) return [`<${tagName}>`];
  return attrs
    .filter(({ name, value }) => {
      if (/^on|[^a-z0-9-]on/i.test(name) || RUNNING.has(name)) return true;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers pass over these in URLs.
      const url = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
      if (URLS.has(name) && /^[a-z+.-]*script:|^data:(?!image\/)/.test(url)) return true;
      if (tagName === 'svg' && name === 'transform') return true;
      if (name === 'rel' && /\bopener\b/i.test(value)) return true;
      return name === 'style' && /position|url|expression|inset|[@\\]|z-index|display|transform/i.test(value);
    })
    .map(({ name }) => `${name} of <${tagName}>`);
}

const INERT: ReadonlySet<string> = new Set(
  `a abbr acronym address article aside audio b bdi bdo big blockquote br button caption center cite code col colgroup data dd
  del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li main
  mark menu meter nav nobr ol p picture pre progress q rp rt ruby s samp search section small source span strike strong sub summary sup table tbody td
  tfoot th thead time tr track tt u ul var video wbr
  svg g path circle ellipse rect line polyline polygon text tspan defs title desc clipPath linearGradient radialGradient
  stop marker math semantics annotation mrow mi mn mo mtext mspace msub msup msubsup mfrac msqrt mroot munder mover
  munderover mtable mtr mtd mpadded mphantom mstyle menclose`.split(/\s+/),
);
const RUNNING: ReadonlySet<string> = new Set(
  'srcdoc action formaction ping http-equiv is xlink:href background manifest content form'.split(' '),
);
const URLS: ReadonlySet<string> = new Set('href src cite poster data longdesc'.split(' '));
