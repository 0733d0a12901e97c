import type { Stored } from './stored.ts';
import { emptyDocument, readWritten, type WriteDocument, writtenDocument } from './write-document.ts';
import type { WriteTarget } from './write-target.ts';

/** The document that is written now, and those of other requests that are not sent yet. */
export interface Drafts {
  /** As the form has it: the last one that the text was. */
  document(): WriteDocument;
  /** As it is sent; it may be no document while it is written by hand. */
  text(): string;
  /** What is wrong with the text; empty where it is a document. */
  problem(): string;
  /** Takes up what was written for a request before, or begins anew. */
  open(target: WriteTarget, stored: Stored): void;
  /** By the form: the text follows. */
  change(document: WriteDocument): void;
  /** By hand: the document follows, where the text is one. */
  write(text: string): void;
  forget(target: WriteTarget): void;
  /** Whether anything would be lost with the page. */
  any(): boolean;
}

export function createDrafts(): Drafts {
  // By method and path: going elsewhere and back loses nothing.
  const kept = new Map<string, string>();
  let key = '';
  let document: WriteDocument = {};
  let text = '';
  let first = '';
  let problem = '';

  function take(next: string): void {
    text = next;
    const read = readWritten(next);
    if ('document' in read) document = read.document;
    problem = 'problem' in read ? read.problem : '';
  }

  function keep(): void {
    if (text === first) kept.delete(key);
    else kept.set(key, text);
  }

  return {
    document: () => document,
    text: () => text,
    problem: () => problem,
    open(target, stored) {
      key = keyOf(target);
      const began = !target.formed && stored.kind === 'found' ? { data: stored.data } : emptyDocument(target);
      first = writtenDocument(began);
      take(first);
      take(kept.get(key) ?? first);
    },
    change(next) {
      document = next;
      text = writtenDocument(next);
      problem = '';
      keep();
    },
    write(next) {
      take(next);
      keep();
    },
    forget: (target) => void kept.delete(keyOf(target)),
    any: () => kept.size > 0,
  };
}

function keyOf({ method, path }: WriteTarget): string {
  return `${method} ${path}`;
}
