import ts from 'typescript';

/** One change of a source file that a test should notice. */
export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the code with a switch for each mutant: `__mutant(7) ? (changed) : (original)`. So one compiled copy of a
 * file serves all of its mutants. Ids count from `firstId`; a mutant that `isWanted` rejects keeps its id.
 */
export function instrument(file: string, code: string, firstId: number, isWanted: (id: number) => boolean) {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  let nextId = firstId;

  /** Returns the id of the mutant, or undefined if the mutant is not wanted. */
  function add(node: ts.Node, after: string): number | undefined {
    const id = nextId;
    nextId += 1;
    if (!isWanted(id)) return undefined;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    mutants.push({ id, file, line: line + 1, before: oneLine(node.getText()), after: oneLine(after) });
    return id;
  }

  function print(node: ts.Node): string {
    if (ts.isTypeNode(node) || NEVER_RUN.some((is) => is(node))) return node.getText();
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    let text = '';
    let end = node.getStart();
    for (const child of children.sort((a, b) => a.pos - b.pos)) {
      text += code.slice(end, child.getStart()) + print(child);
      end = child.end;
    }
    text += code.slice(end, node.end);
    if (ts.isSourceFile(node)) return text;
    if (isRemovable(node)) {
      const id = add(node, ';');
      return id === undefined ? text : `{if(__mutant(${id})){}else{${text}}}`;
    }
    if (isBody(node)) {
      const id = add(node, '{}');
      return id === undefined ? text : `{if(__mutant(${id}))return;${text.slice(1)}`;
    }
    for (const after of new Set(alternatives(node))) {
      const id = add(node, after);
      if (id !== undefined) text = `(__mutant(${id})?(${after}):(${text}))`;
    }
    return text;
  }

  return { code: print(source), mutants, nextId };
}

const NEVER_RUN: readonly ((node: ts.Node) => boolean)[] = [
  ts.isImportDeclaration,
  ts.isExportDeclaration,
  ts.isInterfaceDeclaration,
  ts.isTypeAliasDeclaration,
];

const { SyntaxKind: K } = ts;

const SWAPPED = new Map<ts.SyntaxKind, string>([
  [K.AmpersandAmpersandToken, '||'],
  [K.BarBarToken, '&&'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
]);

/** Operators of which one operand alone is a mutant too: a forgotten condition. */
const JOINING = [K.AmpersandAmpersandToken, K.BarBarToken, K.QuestionQuestionToken];

const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
};
const REMOVED_METHODS = ['filter', 'sort', 'toSorted', 'reverse', 'slice', 'trim', 'toLowerCase', 'flat'];

/** The changed texts of an expression. */
function alternatives(node: ts.Node): string[] {
  const texts = isCondition(node) ? (isAwaitGuard(node) ? ['false'] : ['true', 'false']) : [];
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken: operator } = node;
    const swapped = SWAPPED.get(operator.kind);
    const isText = operator.kind === K.PlusToken && [left, right].some(isTextLiteral);
    if (swapped !== undefined && !isText) texts.push(`${left.getText()} ${swapped} ${right.getText()}`);
    if (JOINING.includes(operator.kind)) texts.push(left.getText(), right.getText());
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    texts.push(node.operand.getText());
  } else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword) {
    texts.push(node.kind === K.TrueKeyword ? 'false' : 'true');
  } else if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !isTarget(node)) {
    texts.push('[]');
  } else if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    !isInChain(node)
  ) {
    const { name, expression } = node.expression;
    const swapped = Object.hasOwn(SWAPPED_METHODS, name.text) ? SWAPPED_METHODS[name.text] : undefined;
    if (swapped !== undefined) texts.push(replaced(node, name, swapped));
    if (REMOVED_METHODS.includes(name.text)) texts.push(expression.getText());
  }
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    texts.push(replaced(node, node.body, node.body.kind === K.NullKeyword ? 'undefined' : 'null'));
  }
  if (ts.isOptionalChain(node) && !isInChain(node)) {
    for (let part: ts.Node = node; isChainPart(part); part = part.expression) {
      if (part.questionDotToken === undefined) continue;
      const isProperty = ts.isPropertyAccessExpression(part);
      texts.push(replaced(node, part.questionDotToken, isProperty ? '.' : ''));
    }
  }
  return texts;
}

function isCondition(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isConditionalExpression(parent)) return parent.condition === node;
  if (ts.isIfStatement(parent)) return parent.expression === node;
  return false;
}

/** `if (pause !== undefined) await pause` only saves time: awaiting any value is harmless. */
function isAwaitGuard({ parent }: ts.Node): boolean {
  const text = parent.getText();
  return (
    /^if \((\w+) !== undefined\) await \1;$/.test(text) ||
    /^(\w+) instanceof Promise \? await \1 : \1$/.test(text)
  );
}

function isRemovable(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    return !ts.isStringLiteral(expression) && !expression.getText().startsWith('super(');
  }
  if (ts.isReturnStatement(node)) return node.expression === undefined;
  return ts.isThrowStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node);
}

function isBody(node: ts.Node): node is ts.Block {
  const { parent } = node;
  return (
    ts.isBlock(node) &&
    node.statements.length > 0 &&
    ts.isFunctionLike(parent) &&
    !ts.isConstructorDeclaration(parent)
  );
}

function isChainPart(
  node: ts.Node,
): node is ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.CallExpression {
  return (
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)
  );
}

/** True if a wrapped node would break the optional chain around it. */
function isInChain(node: ts.Node): boolean {
  const { parent } = node;
  return ts.isOptionalChain(parent) && isChainPart(parent) && parent.expression === node;
}

function isTarget({ parent }: ts.Node): boolean {
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === K.EqualsToken;
}

function isTextLiteral(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function replaced(node: ts.Node, part: ts.Node, text: string): string {
  const start = node.getStart();
  const all = node.getText();
  return all.slice(0, part.getStart() - start) + text + all.slice(part.end - start);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}…` : line;
}
