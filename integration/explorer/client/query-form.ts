/** A query as the form holds it: every input as text, incomplete parts included. Changed by replacing it. */
export interface QueryForm {
  /** Resource type name, `node--article`. */
  readonly type: string;
  /** Words of a full-text search; empty for none. */
  readonly search: string;
  /** The root AND group. */
  readonly filter: FormGroup;
  readonly sort: readonly FormSort[];
  /** Dotted reference paths. */
  readonly include: readonly string[];
  /** Chosen field names by resource type name; a type that is absent answers all of its fields. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** As typed; empty for the default. */
  readonly offset: string;
  readonly limit: string;
}

export interface FormCondition {
  readonly kind: 'condition';
  /** Names its inputs, unique in the form. */
  readonly id: number;
  readonly path: string;
  readonly operator: string;
  /** None: not given yet. One for a comparison, any number for IN, two for BETWEEN. */
  readonly values: readonly string[];
}

export interface FormGroup {
  readonly kind: 'group';
  readonly id: number;
  readonly conjunction: 'AND' | 'OR';
  readonly members: readonly FormNode[];
}

export type FormNode = FormCondition | FormGroup;

export interface FormSort {
  readonly path: string;
  readonly direction: 'ASC' | 'DESC';
}

/** How many values an operator takes. */
export type ValueCount = 'none' | 'one' | 'two' | 'many';

export const ROOT_ID = 0;

const VALUE_COUNTS: Readonly<Record<string, ValueCount>> = {
  IN: 'many',
  'NOT IN': 'many',
  BETWEEN: 'two',
  'NOT BETWEEN': 'two',
  'IS NULL': 'none',
  'IS NOT NULL': 'none',
};

export function valueCount(operator: string): ValueCount {
  return VALUE_COUNTS[operator] ?? 'one';
}

export function emptyForm(type: string): QueryForm {
  return {
    type,
    search: '',
    filter: { kind: 'group', id: ROOT_ID, conjunction: 'AND', members: [] },
    sort: [],
    include: [],
    fields: new Map(),
    offset: '',
    limit: '',
  };
}

/** Whether a condition says enough to be sent; the others stay in the form and out of the URL. */
export function isComplete(condition: FormCondition): boolean {
  if (condition.path === '' || condition.path.endsWith('.')) return false;
  const given = condition.values.length;
  switch (valueCount(condition.operator)) {
    case 'none':
      return true;
    case 'two':
      return given === 2 && condition.values.every((value) => value !== '');
    case 'one':
    case 'many':
      return given > 0;
  }
}

/** Values kept when the operator changes to one that takes another number of them. */
export function fitValues(values: readonly string[], operator: string): readonly string[] {
  switch (valueCount(operator)) {
    case 'none':
      return [];
    case 'one':
      return values.slice(0, 1);
    case 'two':
      return values.length === 0 ? [] : [values[0] ?? '', values[1] ?? ''];
    case 'many':
      return values;
  }
}

/** The next free id of a form's nodes. */
export function nextId(group: FormGroup): number {
  let highest = group.id;
  for (const member of group.members) {
    highest = Math.max(highest, member.kind === 'group' ? nextId(member) - 1 : member.id);
  }
  return highest + 1;
}

/** The tree with one node replaced, or taken out where `change` answers null. The root is never taken out. */
export function changeNode(
  root: FormGroup,
  id: number,
  change: (node: FormNode) => FormNode | null,
): FormGroup {
  if (root.id === id) {
    const changed = change(root);
    return changed?.kind === 'group' ? changed : root;
  }
  const members: FormNode[] = [];
  for (const member of root.members) {
    if (member.id === id) {
      const changed = change(member);
      if (changed !== null) members.push(changed);
    } else members.push(member.kind === 'group' ? changeNode(member, id, change) : member);
  }
  return { ...root, members };
}

export function findNode(root: FormGroup, id: number): FormNode | undefined {
  if (root.id === id) return root;
  for (const member of root.members) {
    if (member.id === id) return member;
    const found = member.kind === 'group' ? findNode(member, id) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function addMember(root: FormGroup, groupId: number, member: FormNode): FormGroup {
  return changeNode(root, groupId, (node) =>
    node.kind === 'group' ? { ...node, members: [...node.members, member] } : node,
  );
}

/** How many conditions the tree holds, groups not counted. */
export function conditionCount(node: FormNode): number {
  return node.kind === 'condition'
    ? 1
    : node.members.reduce((sum, member) => sum + conditionCount(member), 0);
}
