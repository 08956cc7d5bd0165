import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = resolve(import.meta.dirname, '../e-invoice-validator');
const rules = resolve(import.meta.dirname, '../../../node_modules/.cache/e-invoice-validator');

/** The verdict of one set of rules on one file. */
export interface Verdict {
  readonly file: string;
  readonly rules: string;
  readonly errors: number;
  readonly warnings: number;
  readonly texts: string;
}

/** Why files cannot be validated here; null if they can. */
export function missingTool(): string | null {
  for (const [tool, flag] of [
    ['java', '-version'],
    ['mvn', '-v'],
  ] as const) {
    try {
      execFileSync(tool, [flag], { stdio: 'ignore' });
    } catch {
      return `${tool} is not installed: the rules of e-invoices need Java 17 and Maven`;
    }
  }
  return null;
}

/**
 * Validates files in one Java process by rules that others wrote. @param kind `xml`, or `pdf` for PDF/A-3 with
 * Factur-X.
 */
export async function verdictsOn(
  kind: 'xml' | 'pdf',
  directory: string,
  files: readonly string[],
): Promise<readonly Verdict[]> {
  const jars = join(rules, kind);
  if (!existsSync(jars))
    await run('mvn', ['-q', '-B', '-P', kind, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`], {
      cwd: source,
    });
  const list = join(directory, `${kind}.list`);
  await writeFile(list, files.map((file) => join(directory, file)).join('\n'));
  const program = join(source, kind === 'xml' ? 'ValidateXml.java' : 'ValidatePdf.java');
  const { stdout } = await run('java', ['-cp', join(jars, '*'), program, list], { maxBuffer: 1e9 });
  const lines = stdout.split('\n').filter((line) => line.startsWith(directory));
  return lines.map((line) => {
    const [file = '', of = '', errors, warnings, texts = ''] = line.split('\t');
    return {
      file: file.slice(directory.length + 1),
      rules: of,
      errors: Number(errors),
      warnings: Number(warnings),
      texts,
    };
  });
}
