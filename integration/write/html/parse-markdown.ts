import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { type Effort, TooMuchEffortError } from './effort.ts';

/**
 * What markdown consists of, in order. The parser takes time in proportion to the square of some texts: `effort` ends
 * that. Throws TooMuchEffortError.
 */
export function parseMarkdown(text: string, effort: Effort): Events {
  const chunks = preprocess()(text, undefined, true);
  const parser = parse({ extensions: [gfm()] });
  limitConstructs(parser.constructs, effort);
  return postprocess(parser.document().write(chunks));
}

type Events = ReturnType<typeof postprocess>;
type Constructs = ReturnType<typeof parse>['constructs'];
type Construct = NonNullable<Extract<Constructs['text'][string], readonly unknown[]>[number]>;

/** Marks of emphasis in one paragraph, of which each may be held against every other. */
const MAX_MARKS = 4000;
const MARKS: ReadonlySet<string> = new Set(['attentionSequence', 'strikethroughSequenceTemporary']);
/** What one paragraph consists of, twice: where something begins, and where it ends. Much of it is put together later. */
const MAX_EVENTS = 25_000;
const HOOKS = ['document', 'contentInitial', 'flowInitial', 'flow', 'string', 'text'] as const;

/** Makes everything that the parser knows spend effort: at its start, and for every character. */
function limitConstructs(constructs: Constructs, effort: Effort): void {
  const limited = new Map<Construct, Construct>();
  // The parser calls each of these functions once, whoever shares it.
  const resolvers = new Map<Resolver, Resolver>();
  for (const hook of HOOKS) {
    const map = constructs[hook];
    for (const [code, found] of Object.entries(map))
      map[code] = [found ?? []].flat().map((each) => limit(each, hook === 'text'));
  }
  const { insideSpan } = constructs;
  insideSpan.null = insideSpan.null?.map(({ resolveAll, ...span }) => ({
    ...span,
    resolveAll: resolveAll && limitResolver(resolveAll),
  }));

  function limit(construct: Construct, isText: boolean): Construct {
    const known = limited.get(construct);
    if (known !== undefined) return known;
    const { tokenize, resolveAll } = construct;
    const made: Construct = {
      ...construct,
      ...(tokenize && {
        tokenize(effects, ok, nok) {
          effort.spend();
          if (isText && this.events.length > MAX_EVENTS) throw new TooMuchEffortError();
          const consume: typeof effects.consume = (code) => {
            effort.spend();
            effects.consume(code);
          };
          return tokenize.call(this, { ...effects, consume }, ok, nok);
        },
      }),
      ...(resolveAll && { resolveAll: limitResolver(resolveAll) }),
    };
    limited.set(construct, made);
    return made;
  }

  function limitResolver(resolve: Resolver): Resolver {
    const known = resolvers.get(resolve);
    if (known !== undefined) return known;
    const made: Resolver = (events, context) => {
      effort.spend();
      const marks = events.filter(([kind, { type }]) => kind === 'enter' && MARKS.has(type));
      if (marks.length > MAX_MARKS) throw new TooMuchEffortError();
      return resolve(events, context);
    };
    resolvers.set(resolve, made);
    return made;
  }
}

type Resolver = NonNullable<Construct['resolveAll']>;
