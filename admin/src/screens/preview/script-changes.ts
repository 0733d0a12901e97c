/** What scripts, and actions of the reader, have changed in a page. */
export interface ScriptChanges {
  isAdded: (node: Node) => boolean;
  isChanged: (element: Element, attribute: string) => boolean;
  /** Changes that `work` makes do not count. */
  pause: (work: () => void) => void;
}

/** Watches a document that will be written. The parser of the browser only adds nodes. */
export function watchScripts(document: Document): ScriptChanges {
  const added = new WeakSet<Node>();
  const changed = new WeakMap<Node, Set<string>>();
  let isParsed = false;
  const collect = (records: readonly MutationRecord[]): void => {
    for (const { target, attributeName, addedNodes } of records) {
      if (attributeName !== null) changed.set(target, (changed.get(target) ?? new Set()).add(attributeName));
      else if (isParsed) for (const node of addedNodes) added.add(node);
    }
  };
  const observer = new MutationObserver(collect);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  document.addEventListener('readystatechange', () => {
    collect(observer.takeRecords());
    isParsed = true;
  });
  return {
    isAdded: (node) => added.has(node),
    isChanged: (element, attribute) => changed.get(element)?.has(attribute) === true,
    pause(work) {
      collect(observer.takeRecords());
      work();
      observer.takeRecords();
    },
  };
}
