const MASK = '*****';
const secretName = /password|passwd|secret|token|key|credential/i;
const separator = /[=:>]/;

/**
 * A plugin's configuration as it may be shown to somebody who must not change it (platform §3 rule 8, §12.6 rule 5). In
 * every line that names a password, secret, token, key or credential, the rest after the name is masked. So are the
 * following lines with a deeper indent: in YAML they are its value, elsewhere they may be.
 */
export function maskedSecrets(text: string): string {
  const shown: string[] = [];
  let maskedBeyond = Number.POSITIVE_INFINITY;
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/);
    if (indent > maskedBeyond) shown.push(line.slice(0, indent) + MASK);
    else {
      const valueAt = secretAt(line);
      if (indent >= 0) maskedBeyond = valueAt === null ? Number.POSITIVE_INFINITY : indent;
      shown.push(valueAt === null ? line : masked(line, valueAt));
    }
  }
  return shown.join('\n');
}

/** Where the value of a secret begins in a line; null if the line names no secret. */
function secretAt(line: string): number | null {
  const name = secretName.exec(line);
  if (name === null) return null;
  const from = name.index + name[0].length;
  const between = line.slice(from).search(separator);
  return between < 0 ? null : from + between + 1;
}

function masked(line: string, valueAt: number): string {
  const blanks = line.slice(valueAt).search(/\S/);
  return blanks < 0 ? line : line.slice(0, valueAt + blanks) + MASK;
}
