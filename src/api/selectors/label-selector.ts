import { byCodePoint } from '../../json/code-point-order.js';
import { badRequest } from '../status/failures.js';
import { everything } from './field-selector.js';
import { MAX_SELECTOR_TERMS, requireSelectorLength, tooManyTerms, type Selector } from './contract.js';
import { labelKeyError, labelValuesError, LabelRules } from './label-rules.js';
import type { LabelOperator, LabelRequirement } from './label-rules.js';

/**
 * Compiles a `labelSelector`: `app=web,tier in (front,back),!old,load>5`. `!=` and `notin` also select objects without
 * the label. @throws StatusFailure 400 in Kubernetes' words; in our own for too many characters or terms
 */
export function parseLabelSelector(text: string, maxTerms: number = MAX_SELECTOR_TERMS): Selector {
  if (text === '') return everything;
  requireSelectorLength('labelSelector', text);
  const requirements = parseRequirements(text, maxTerms);
  return requirements.length === 0 ? everything : new LabelRules(requirements);
}

class LabelReader {
  readonly #tokens: readonly LabelToken[];
  #at = 0;

  constructor(selector: string) {
    this.#tokens = Array.from(selector.matchAll(TOKENS), ([, symbol, text = '']) => {
      return symbol === undefined ? { kind: 'word', text } : { kind: symbol, text: symbol };
    });
  }

  peek(): LabelToken {
    return this.#tokens[this.#at] ?? END;
  }

  next(): LabelToken {
    const token = this.peek();
    this.#at++;
    return token;
  }
}

/** `word`, the symbol itself, or `''` at the end. */
interface LabelToken {
  readonly kind: string;
  readonly text: string;
}

const END: LabelToken = { kind: '', text: '' };

/** A symbol, or a word with the NUL that ends it, because a NUL ends the selector (Kubernetes behaviour). */
const TOKENS = /[ \t\r\n]*(?:([!=]=|[=!(),><])|([^ \t\r\n=!(),><\0]+)\0?)/gy;

function parseRequirements(selector: string, maxTerms: number): LabelRequirement[] {
  const reader = new LabelReader(selector);
  const requirements: LabelRequirement[] = [];
  const begins = ({ kind }: LabelToken): boolean => kind === 'word' || kind === '!';
  const first = reader.peek();
  if (first.kind === '') return requirements;
  if (!begins(first)) throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
  let terms = 0;
  for (;;) {
    const requirement = parseRequirement(reader, maxTerms);
    terms += Math.max(requirement.values.length, 1);
    if (terms > maxTerms) throw tooManyTerms('labelSelector', maxTerms);
    requirements.push(requirement);
    const after = reader.next();
    if (after.kind === '') return requirements;
    if (after.kind !== ',') throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`);
    if (!begins(reader.peek())) throw badRequest(`found '${reader.peek().text}', expected: identifier after ','`);
  }
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['=', 'in'],
  ['==', 'in'],
  ['notin', 'notin'],
  ['!=', 'notin'],
  ['>', '>'],
  ['<', '<'],
]);

function parseRequirement(reader: LabelReader, maxTerms: number): LabelRequirement {
  let token = reader.next();
  const negated = token.kind === '!';
  if (negated) token = reader.next();
  if (token.kind !== 'word') throw wrong(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const keyError = labelKeyError(key);
  if (keyError) throw wrong(keyError);
  if (negated) return { key, operator: 'missing', values: [] };
  const following = reader.peek().kind;
  if (following === '' || following === ',') return { key, operator: 'exists', values: [] };

  const sign = reader.next();
  const operator = OPERATORS.get(sign.text);
  if (!operator) throw wrong(`found '${sign.text}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = sign.kind === 'word' ? parseList(reader, maxTerms) : [parseExact(reader)];
  const requirement = { key, operator, values: [...new Set(values)].sort(byCodePoint) };
  const valuesError = labelValuesError(requirement);
  if (valuesError) throw wrong(valuesError);
  return requirement;
}

function parseExact(reader: LabelReader): string {
  const { kind } = reader.peek();
  if (kind === '' || kind === ',') return '';
  const token = reader.next();
  if (token.kind !== 'word') throw wrong(`found '${token.text}', expected: identifier`);
  return token.text;
}

/** `(a,b)`; nothing between commas or parentheses is the empty value. */
function parseList(reader: LabelReader, maxTerms: number): readonly string[] {
  const open = reader.next();
  if (open.kind !== '(') throw wrong(`found '${open.text}' expected: '('`);
  const first = reader.peek();
  if (first.kind === ')') {
    reader.next();
    return [''];
  }
  if (first.kind !== 'word' && first.kind !== ',') {
    throw wrong(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values: string[] = [];
  for (;;) {
    if (values.length > maxTerms) throw tooManyTerms('labelSelector', maxTerms);
    const token = reader.next();
    const after = reader.peek();
    if (token.kind === 'word') {
      values.push(token.text);
      if (after.kind !== ',' && after.kind !== ')') throw wrong(`found '${after.text}', expected: ',' or ')'`);
    } else if (token.kind === ',') {
      if (values.length === 0 || after.kind === ')' || after.kind === ',') values.push('');
      if (after.kind === ',') reader.next();
    } else {
      throw wrong(`found '${token.text}', expected: ',', or identifier`);
    }
    if (after.kind === ')') {
      reader.next();
      return values;
    }
  }
}

function wrong(text: string): Error {
  return badRequest(`unable to parse requirement: ${text}`);
}
