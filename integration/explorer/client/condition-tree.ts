import type { FieldKind } from '../../content/model.ts';
import { pathInput } from './combobox.ts';
import { button, type Child, h, iconButton, replaceChildren, select } from './dom.ts';
import { operatorsFor, pathOptions, pathTarget } from './field-paths.ts';
import {
  addMember,
  changeNode,
  type FormCondition,
  type FormGroup,
  type FormNode,
  fitValues,
  nextId,
  type QueryForm,
  ROOT_ID,
  valueCount,
} from './query-form.ts';
import type { ExplorerSchema } from './schema.ts';
import { valueInput } from './value-input.ts';

/** The form as its sections see it. */
export interface FormHost {
  readonly schema: ExplorerSchema;
  form(): QueryForm;
  /** Takes the new form; where `focus` is given, draws the sections anew and focuses the input of that key. */
  change(form: QueryForm, focus?: string): void;
}

/** The conditions and groups of a form. */
export function conditionTree(host: FormHost): HTMLElement {
  return groupBox(host, host.form().filter, 'where');
}

function groupBox(host: FormHost, group: FormGroup, lead: string): HTMLElement {
  const isRoot = group.id === ROOT_ID;
  const joint = group.conjunction === 'AND' ? 'and' : 'or';
  const box = h(
    'div',
    {
      class: isRoot ? 'group root' : 'group',
      role: 'group',
      'aria-label': isRoot ? 'All of these hold' : 'Group',
    },
    isRoot ? null : groupHead(host, group, lead),
    ...group.members.map((member, index) => {
      const word = index === 0 ? (isRoot ? 'where' : '') : joint;
      return member.kind === 'group' ? groupBox(host, member, word) : conditionRow(host, member, word);
    }),
    group.members.length === 0 && isRoot
      ? h('p', { class: 'empty' }, 'No conditions: every entity of the bundle is answered.')
      : null,
    h(
      'div',
      { class: 'adders' },
      button('+ Condition', () => add(host, group.id, 'condition'), {
        class: 'quiet',
        'data-key': `add-${group.id}`,
      }),
      button('+ Group', () => add(host, group.id, 'group'), { class: 'quiet' }),
    ),
  );
  return box;
}

function groupHead(host: FormHost, group: FormGroup, lead: string): HTMLElement {
  return h(
    'div',
    { class: 'group-head', 'data-row': true },
    h('span', { class: 'lead' }, lead),
    select(
      [
        ['AND', 'all of these (AND)'],
        ['OR', 'any of these (OR)'],
      ],
      group.conjunction,
      (value) =>
        changeTree(
          host,
          group.id,
          (node) => (node.kind === 'group' ? { ...node, conjunction: value === 'OR' ? 'OR' : 'AND' } : node),
          `group-${group.id}`,
        ),
      { 'aria-label': 'How the group joins its members', 'data-key': `group-${group.id}` },
    ),
    iconButton('×', 'Remove the group', () => remove(host, group)),
  );
}

function conditionRow(host: FormHost, start: FormCondition, lead: string): HTMLElement {
  const { id } = start;
  let condition = start;
  let kind = kindOf(condition.path);
  const operatorCell = h('div', { class: 'operator' });
  const valueCell = h('div', { class: 'values' });
  drawOperator();
  drawValues();
  return h(
    'div',
    { class: 'condition', role: 'group', 'aria-label': 'Condition', 'data-row': true },
    h('span', { class: 'lead' }, lead),
    pathInput({
      label: 'Field',
      value: condition.path,
      options: (typed) => pathOptions(host.schema, host.form().type, typed, 'filter'),
      onchange: choosePath,
      attributes: { 'data-key': `condition-${id}-path` },
    }),
    operatorCell,
    valueCell,
    iconButton('×', 'Remove the condition', () => remove(host, condition)),
  );

  function kindOf(path: string): FieldKind | undefined {
    return pathTarget(host.schema, host.form().type, path)?.kind;
  }

  function update(change: Partial<FormCondition>): void {
    condition = { ...condition, ...change };
    host.change({ ...host.form(), filter: changeNode(host.form().filter, id, () => condition) });
  }

  /** Only operator and value are drawn anew, so that the input being typed in stays. */
  function choosePath(path: string): void {
    const next = kindOf(path);
    const operators = operatorsFor(host.schema, next);
    const operator =
      next === undefined || operators.includes(condition.operator)
        ? condition.operator
        : (operators[0] ?? '=');
    const kept = next === kind || next === undefined ? condition.values : [];
    const values =
      next === 'boolean' && kept.length === 0 && valueCount(operator) === 'one' ? ['true'] : kept;
    const redraw = next !== kind || operator !== condition.operator;
    kind = next;
    update({ path, operator, values: fitValues(values, operator) });
    if (!redraw) return;
    drawOperator();
    drawValues();
  }

  function drawOperator(): void {
    const fitting = operatorsFor(host.schema, kind);
    const offered = fitting.includes(condition.operator) ? fitting : [...fitting, condition.operator];
    const choose = (operator: string): void => {
      update({ operator, values: fitValues(condition.values, operator) });
      drawValues();
    };
    const options = offered.map((operator) => [operator, operator] as const);
    const attributes = { 'aria-label': 'Operator', 'data-key': `condition-${id}-operator` };
    replaceChildren(operatorCell, select(options, condition.operator, choose, attributes));
  }

  function drawValues(focus = -1): void {
    const setAt =
      (index: number) =>
      (text: string | undefined): void => {
        const values = [...condition.values];
        if (text === undefined) values.splice(index, 1);
        else {
          while (values.length < index) values.push('');
          values[index] = text;
        }
        update({ values });
      };
    const takes = valueCount(condition.operator);
    for (const cell of [operatorCell, valueCell])
      cell.classList.toggle('several', takes === 'two' || takes === 'many');
    replaceChildren(valueCell, ...valueInputs(setAt));
    const inputs = valueCell.querySelectorAll('input');
    if (focus >= 0) inputs[Math.min(focus, inputs.length - 1)]?.focus();
  }

  function valueInputs(setAt: (index: number) => (text: string | undefined) => void): readonly Child[] {
    const key = { 'data-key': `condition-${id}-value` };
    switch (valueCount(condition.operator)) {
      case 'none':
        return [h('span', { class: 'no-value' }, 'no value')];
      case 'one':
        return [valueInput(kind, condition.values[0], 'Value', setAt(0), key)];
      case 'two':
        return [
          valueInput(kind, condition.values[0], 'From', setAt(0), key),
          h('span', { class: 'between' }, 'to'),
          valueInput(kind, condition.values[1], 'To', setAt(1)),
        ];
      case 'many':
        return [...manyInputs(setAt, key)];
    }
  }

  function manyInputs(
    setAt: (index: number) => (text: string | undefined) => void,
    key: { readonly 'data-key': string },
  ): readonly Child[] {
    const shown = condition.values.length === 0 ? [undefined] : condition.values;
    const another = (): void => {
      if (condition.values.length > 0) update({ values: [...condition.values, ''] });
      drawValues(condition.values.length);
    };
    return [
      ...shown.map((value, index) => {
        const input = valueInput(kind, value, `Value ${index + 1}`, (text) => setAt(index)(text ?? ''), {
          ...(index === 0 ? key : {}),
          onkeydown: (event: Event) => {
            if (!(event instanceof KeyboardEvent) || event.key !== 'Enter' || event.ctrlKey || event.metaKey)
              return;
            event.preventDefault();
            another();
          },
        });
        const drop = (): void => {
          setAt(index)(undefined);
          drawValues(Math.max(0, index - 1));
        };
        const remover = shown.length > 1 ? iconButton('−', `Remove value ${index + 1}`, drop) : null;
        return h('span', { class: 'value-item' }, input, remover);
      }),
      button('+ value', another, { class: 'quiet small' }),
    ];
  }
}

function add(host: FormHost, groupId: number, what: 'condition' | 'group'): void {
  const form = host.form();
  const id = nextId(form.filter);
  const condition = (own: number): FormCondition => ({
    kind: 'condition',
    id: own,
    path: '',
    operator: '=',
    values: [],
  });
  const member: FormNode =
    what === 'condition'
      ? condition(id)
      : { kind: 'group', id, conjunction: 'OR', members: [condition(id + 1), condition(id + 2)] };
  const focus = what === 'condition' ? id : id + 1;
  host.change({ ...form, filter: addMember(form.filter, groupId, member) }, `condition-${focus}-path`);
}

/** The focus goes to the button that would add the thing again. */
function remove(host: FormHost, node: FormNode): void {
  const parent = parentOf(host.form().filter, node.id);
  changeTree(host, node.id, () => null, `add-${parent?.id ?? ROOT_ID}`);
}

function parentOf(group: FormGroup, id: number): FormGroup | undefined {
  for (const member of group.members) {
    if (member.id === id) return group;
    const found = member.kind === 'group' ? parentOf(member, id) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function changeTree(
  host: FormHost,
  id: number,
  change: (node: FormNode) => FormNode | null,
  focus: string,
): void {
  host.change({ ...host.form(), filter: changeNode(host.form().filter, id, change) }, focus);
}
