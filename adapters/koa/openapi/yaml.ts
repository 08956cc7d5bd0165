import { dump } from 'js-yaml';
import type { Steps } from '../../../lib/runtime/index.ts';

/** Nesting level at which each member is written in a separate step. Operations and models are at this level. */
const LEVELS = 3;

/** Yields parsed JSON as block-style YAML. */
export function* yamlSteps(value: object, levels = LEVELS): Steps<string> {
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    const isOpen = levels > 1 && isObject(member);
    text += isOpen
      ? keyLine(name) + indentLines(yield* yamlSteps(member, levels - 1))
      : blockOf(name, member);
    yield;
  }
  return text;
}

function isObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

/** Returns the YAML of a member. Removes the document end mark that the YAML writer adds after trailing empty lines. */
function blockOf(name: string, member: unknown): string {
  return dump({ [name]: member }, { lineWidth: -1 }).replace(/\n\.\.\.\n$/, '\n');
}

function keyLine(name: string): string {
  return blockOf(name, 0).replace(/ 0\n$/, '\n');
}

function indentLines(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
