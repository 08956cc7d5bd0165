import { dump } from 'js-yaml';

/** A document that goes out as JSON, as YAML in block style: without what JSON leaves out, and nothing by reference. */
export function yamlOf(document: unknown): string {
  return dump(JSON.parse(JSON.stringify(document)), { lineWidth: -1 });
}
