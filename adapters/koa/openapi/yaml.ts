/** `value`, which is JSON, as YAML 1.2 in block style; texts are quoted as in JSON, which YAML takes. */
export function yamlOf(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((element) => item(lines(element)));
  if (isFilledObject(value)) {
    return Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .flatMap(([key, member]) => entry(key, member));
  }
  return [JSON.stringify(value)];
}

function entry(key: string, member: unknown): readonly string[] {
  const name = /^[A-Za-z][\w/-]*$/.test(key) && !reserved.has(key.toLowerCase()) ? key : JSON.stringify(key);
  const block = lines(member);
  const isNested = isFilledObject(member) || (Array.isArray(member) && member.length > 0);
  return isNested ? [`${name}:`, ...block.map((line) => `  ${line}`)] : [`${name}: ${block[0] ?? 'null'}`];
}

function item(block: readonly string[]): readonly string[] {
  return block.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

/** Keys that a reader would take for another value. */
const reserved = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);

function isFilledObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}
