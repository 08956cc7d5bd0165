const MASK = '*****';

const secretLine =
  /^(.*?(?:password|passwd|secret|token|key|credential)[^=:\n]*?["']?\s*[=:]\s*)(?=\S)(.*)$/gim;

/**
 * A plugin's configuration as it may be shown to somebody who must not change it: of every line that names a password,
 * secret, token, key or credential, the rest after the name is masked (platform.md §3 rule 8, §12.6 rule 5).
 */
export function maskedSecrets(text: string): string {
  return text.replace(secretLine, (_line, start: string) => start + MASK);
}
