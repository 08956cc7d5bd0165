const MASK = '*****';
const secretName = /password|passwd|secret|token|key|credential/i;

/** Path and query of a request as it may be kept: values of parameters that look like secrets are masked (platform §12.1 rule 5). */
export function shownUri(path: string, query: string): string {
  if (query === '') return path;
  const shown = query.split('&').map((part) => {
    const at = part.indexOf('=');
    if (at < 0) return part;
    const name = part.slice(0, at);
    return secretName.test(decoded(name)) ? `${name}=${MASK}` : part;
  });
  return `${path}?${shown.join('&')}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
