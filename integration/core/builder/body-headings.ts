import { isRecord, type JsonValue } from '../util/json.ts';

/** A heading of a rendered body, in the form of Astro's `headings`. */
export type Heading = {
  /** From 1 to 6. */
  readonly depth: number;
  /** Its `id`, for a link: `#${slug}`. */
  readonly slug: string;
  /** Its text without markup. */
  readonly text: string;
};

/** Reads the headings of HTML, in the order of the document. */
export type HeadingsOf = (html: string) => readonly Heading[];

/**
 * The flat value of a body with its `headings`, which are read from the HTML when they are first used. Headings without an
 * id are left out, because no link leads to them.
 */
export function withHeadings(body: JsonValue, headingsOf: HeadingsOf): JsonValue {
  if (!isRecord(body) || typeof body.processed !== 'string') return body;
  const html = body.processed;
  let headings: readonly Heading[] | undefined;
  return {
    ...body,
    get headings() {
      headings ??= headingsOf(html);
      return headings;
    },
  };
}
